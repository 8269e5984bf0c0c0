#include "process/mapped_memory.hpp"

#include <sys/mman.h>

#include <new>

namespace tenure::process {

void* MappedMemory::do_allocate(std::size_t bytes, std::size_t /*alignment*/) {
  // A page is aligned for whatever the pools ask for.
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

void MappedMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t /*alignment*/) {
  munmap(memory, bytes);
}

}  // namespace tenure::process
