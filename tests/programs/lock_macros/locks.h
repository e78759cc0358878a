/* Locks behind macros, for lock_macros.c. */
#ifndef LOCKS_H
#define LOCKS_H
#include <pthread.h>
#define MUTEX_LOCK(m) do { int e_ = pthread_mutex_lock(m); (void)e_; } while (0)
#define lock_it(q) pthread_mutex_lock(&(q)->lock)
#define unlock_it(q) pthread_mutex_unlock(&(q)->lock)
#define OWN(q) do { struct queue *q_ = (q); pthread_mutex_lock(&q_->lock); } while (0)
#define VIA(q) take(1, &(q)->lock)
#define ENTER pthread_mutex_lock(&hidden->lock)
#define BOTH(x, y) do { pthread_mutex_lock(&(x)->lock); pthread_mutex_lock(&(y)->lock); } while (0)
#define NEITHER(x, y) do { pthread_mutex_unlock(&(y)->lock); pthread_mutex_unlock(&(x)->lock); } while (0)
#endif
