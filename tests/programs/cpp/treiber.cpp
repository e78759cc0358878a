// std::atomic<T *>, compare_exchange_weak, new, delete: a node is deleted while another thread, which has loaded the
// same head, still reads from it. Right: popped nodes are kept until everybody has ended.
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
    int value;
    Node *next;
    Node *later = nullptr; // of those that were popped
};

class Stack {
public:
    ~Stack()
    {
        drop(head_, &Node::next);
        drop(popped_, &Node::later);
    }

    void push(int value) { link(head_, new Node{value, nullptr}, &Node::next); }

    bool pop(int &value)
    {
        Node *top = head_.load();
        do {
            if (!top)
                return false;
        } while (!head_.compare_exchange_weak(top, top->next));
        value = top->value;
#ifdef RIGHT
        link(popped_, top, &Node::later);
#else
        delete top;
#endif
        return true;
    }

private:
    static void link(std::atomic<Node *> &list, Node *node, Node *Node::*behind)
    {
        node->*behind = list.load();
        while (!list.compare_exchange_weak(node->*behind, node))
            ;
    }

    static void drop(Node *list, Node *Node::*behind)
    {
        while (list) {
            Node *next = list->*behind;
            delete list;
            list = next;
        }
    }

    std::atomic<Node *> head_{nullptr};
    std::atomic<Node *> popped_{nullptr};
};

static void take(Stack &stack, int &sum)
{
    int value;
    if (stack.pop(value))
        sum += value;
}

int main()
{
    Stack stack;
    stack.push(1);
    stack.push(2);
    int one = 0, other = 0;
    std::thread first([&] { take(stack, one); });
    std::thread second([&] { take(stack, other); });
    first.join();
    second.join();
    assert(one + other == 3);
}
