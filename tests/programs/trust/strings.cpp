// Each test changes a string on one thread while another one reads it, with and without a lock (-DFIXED).
#include <cassert>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

static const std::string LONG = "longer than what fits into a string itself";

template <class String, class Change, class Read> static void both(String shared, Change change, Read read)
{
    std::mutex mutex;
#ifdef FIXED
    auto locked = [&mutex] { return std::unique_lock<std::mutex>(mutex); };
#else
    auto locked = [] { return 0; };
#endif
    std::thread changes([&] {
        auto lock = locked();
        (void)lock;
        change(shared);
    });
    {
        auto lock = locked();
        (void)lock;
        read(static_cast<const String &>(shared));
    }
    changes.join();
}

static void reads(const std::string &text) { assert(text.size() < 1000); }
static void copies(const std::string &text) { assert(std::string(text).size() < 1000); }
static void compares(const std::string &text) { assert(text != "something else"); }
static void looks(const std::string &text) { assert(text.find('?') == std::string::npos); }

void test_assign() { both(std::string("a"), [](std::string &s) { s = LONG; }, reads); }
void test_assign_short() { both(LONG, [](std::string &s) { s = "b"; }, copies); }
void test_move() { both(LONG, [](std::string &s) { s = std::string("moved"); }, compares); }
void test_append() { both(std::string("a"), [](std::string &s) { s += LONG; }, reads); }
void test_append_character() { both(std::string("a"), [](std::string &s) { s += 'b'; }, copies); }
void test_push_back() { both(std::string(15, 'a'), [](std::string &s) { s.push_back('b'); }, reads); }
void test_insert() { both(std::string("ac"), [](std::string &s) { s.insert(1, "b"); }, copies); }
void test_erase() { both(std::string("abc"), [](std::string &s) { s.erase(1, 1); }, reads); }
void test_replace() { both(std::string("abc"), [](std::string &s) { s.replace(0, 1, "xyz"); }, compares); }
void test_resize() { both(std::string("abc"), [](std::string &s) { s.resize(40, 'd'); }, looks); }
void test_reserve() { both(std::string("abc"), [](std::string &s) { s.reserve(100); }, copies); }
void test_clear() { both(std::string("abc"), [](std::string &s) { s.clear(); }, reads); }
void test_swap() { both(std::string("abc"), [](std::string &s) { std::string o("d"); s.swap(o); }, reads); }
void test_element() { both(std::string("abc"), [](std::string &s) { s[1] = 'x'; }, looks); }
void test_iterator() { both(std::string("abc"), [](std::string &s) { for (char &c : s) c = 'x'; }, compares); }
void test_pop_back() { both(std::string("abc"), [](std::string &s) { s.pop_back(); }, copies); }
void test_number() { both(std::string("1"), [](std::string &s) { s = std::to_string(12345); }, reads); }
void test_wide() { both(std::wstring(L"a"), [](std::wstring &s) { s += L"b"; }, [](const std::wstring &s) { assert(s.size() < 9); }); }
void test_wide_assign() { both(std::wstring(L"a"), [](std::wstring &s) { s = L"other"; }, [](const std::wstring &s) { assert(!s.empty()); }); }
void test_two_readers() { both(LONG, [](std::string &s) { const std::string &text = s; copies(text); compares(text); }, looks); }
