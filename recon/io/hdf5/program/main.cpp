// The program that reads HDF5 for a process that has threads.

#include <unistd.h>

#include "io/hdf5/child.hpp"

int main() {
    lsrecon::serve_hdf5_files(STDIN_FILENO);
}
