// Values of many types. A line with a `//=` says what an event of it is told with: the operation, its
// object, and what is shown.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum state { IDLE, BUSY = 5, DONE };
typedef int64_t amount;

struct node {
  struct node *next;
  long value;
};

struct queue {
  struct node *head;
  int size;
  enum state state;
  double load;
  float last[2];
  bool open;
  unsigned wide : 4;
  struct {
    const void *any;
    union {
      int number;
      float part;
    } either;
  } inner;
};

// Not static: compilers leave out what is written and never read.
struct node pool[3];
struct node *top;
enum state mode;
amount balance = 100;
unsigned char mask;
signed char down = 3;
char letter;
uint16_t port = 65535;
_Atomic(struct node *) current;
atomic_bool ready;
atomic_int hits = -2;
void (*callback)(void);
struct queue *queue;
int turns;

static void hello(void) {}

static void of_globals(void) {
  top = &pool[1];             //= write | top | null → &pool[1]
  mode = DONE;                //= write | mode | IDLE → DONE
  balance -= 150;             //= write | balance | 100 → -50
  mask |= 0xc0;               //= write | mask | 0 → 192
  down -= 5;                  //= write | down | 3 → -2
  letter = 'y';               //= write | letter | 0 → 'y'
  port = (uint16_t)(port + 3); //= write | port | 65535 → 2
  callback = hello;           //= write | callback | null → hello
  pool[2].next = top;         //= write | pool[2].next | null → &pool[1]
  pool[2].value = balance;    //= write | pool[2].value | 0 → -50
}

static void of_atomics(void) {
  atomic_store(&current, &pool[2]); //= store | current | null → &pool[2]
  atomic_store(&ready, true);       //= store | ready | false → true
  atomic_fetch_add(&hits, 3);       //= rmw | hits | -2 → 1
  int expected = 7;
  atomic_compare_exchange_strong(&hits, &expected, 9); //= rmw | hits | 1
  if (atomic_load(&current) == top)                    //= load | current | &pool[2]
    hello();
}

static void of_the_heap(struct queue *q) {
  struct node *n = malloc(sizeof *n); // made here
  n->value = -7;                      //= write | n->value | 0 → -7
  n->next = q->head;                  //= read | q->head | null
  q->head = n;                        //= write | q->head | null → heap block of 16 bytes allocated at values.c:77
  q->state = BUSY;                    //= write | q->state | IDLE → BUSY
  q->load += 0.5;                     //= write | q->load | 0.0 → 0.5
  q->last[(int)q->load] = 2.25f;      //= write | q->last[0] | 0.0 → 2.25
  q->open = true;                     //= write | q->open | false → true
  q->inner.any = &balance;            //= write | q->inner.any | null → &balance
  q->inner.either.number = 12;        //= write | q->inner.either.number | 0 → 12
}

// What is repeated before the next step is no event of its own: the first tells of the last as well.
static void in_a_loop(void) {
  for (volatile int i = 0; i < 4; i++) {
    __asm__ volatile("" ::: "memory");
    turns = turns + 1; //= write | turns | 0 → 1 … 4
  }
}

static void *worker(void *arg) {
  of_globals();
  of_atomics();
  of_the_heap(queue);
  in_a_loop();
  return arg;
}

int main(void) {
  queue = calloc(1, sizeof *queue);
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  assert(!"the end");
}
