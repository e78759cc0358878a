# Two programs for each gap that linking shows: NAME has it, and NAME_not is close to it and has not.
set -e
mkdir -p p
program() {
    name=$1
    shift
    $CC -g -w -pthread -D$name linked.c "$@" -o p/$name
}

for name in libc_accesses libc_files stream_locks libc_blocks assembly structs_by_value; do
    program $name
    program ${name}_not
done
program merged_accesses -O2
program merged_accesses_not -O0
program no_debug_information -s
program no_debug_information_not

gcc -g -c part.c -o without.o
$CC -g -c part.c -o with.o
program objects -DPART without.o
program objects_not -DPART with.o
gcc -g -shared -fPIC part.c -o libwithout.so
$CC -g -shared -fPIC part.c -o libwith.so
program libraries -DPART -L. -lwithout "-Wl,-rpath,$PWD"
program libraries_not -DPART -L. -lwith "-Wl,-rpath,$PWD"

program linked_elsewhere_not
$CC -g -w -c linked.c -o elsewhere.o
runtime=$(readelf -d p/linked_elsewhere_not | sed -n 's/.*unpath: \[\(.*\)\]/\1/p')
gcc elsewhere.o -o p/linked_elsewhere -L$runtime -lraddle_rt "-Wl,-rpath,$runtime"

$CXX -g -std=c++20 pointers.cpp -Dpointer_locks -o p/pointer_locks
$CXX -g -std=c++20 pointers.cpp -o p/pointer_locks_not
