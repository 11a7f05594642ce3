#pragma once

#include <cstddef>

namespace lsrecon {

/// The limit that getrlimit reports for this process of a resource, such as RLIMIT_DATA; infinity
/// without a limit.
double own_limit(int resource);

/// The limit of `ulimit -v` (RLIMIT_AS) in bytes; infinity without such a limit. It counts
/// addresses, whether they are used or not.
double address_space_limit();

/// Bytes of addresses that this process has reserved and does not use, and those of one thread
/// more: libraries, stacks and malloc's arenas. Threads beyond it share what there is.
double reserved_addresses();

/// Bytes of addresses that PoCL takes to compile the kernels of a small scan: with 2, 8 and 16
/// threads 1.0, 1.5 and 2.1 GB (PoCL 3.1). With less it aborts, crashes or hangs.
double addresses_of_pocl(std::size_t threads);

} // namespace lsrecon
