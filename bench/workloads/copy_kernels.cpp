// The only file with instructions of one CPU architecture.
#include "bench/workloads/copy_kernels.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace linkburn {
namespace {

bool always() { return true; }

void copy_memcpy(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

#ifdef __x86_64__

constexpr std::size_t kLine = 64;    // cache line of every x86-64 CPU so far
constexpr std::size_t kPage = 4096;  // hardware prefetchers stop at this boundary
constexpr std::size_t kAhead = 512;  // prefetch distance; the best of 256 to 2048 on Zen 3

bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
bool has_avx512() { return __builtin_cpu_supports("avx512f") != 0; }

// "Fast string" microcode avoids reading the destination first, on CPUs that have it [Intel 64 and
// IA-32 Architectures Optimization Reference Manual, Enhanced REP MOVSB and STOSB Operation].
void copy_rep_movsb(std::byte* to, const std::byte* from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

// Copies whole cache lines to a destination that starts on one, past the caches: a plain store
// would first read the line that it then overwrites, which costs a third of the memory bandwidth.
// `pages` pages are walked side by side, which keeps more DRAM banks open on some CPUs. A function
// per vector width, because the target attribute belongs to a function and is not inherited by a
// template.
#define LINKBURN_STREAM_LINES(NAME, TARGET, VECTOR, LOAD, STORE)                             \
  __attribute__((target(TARGET))) void NAME(std::byte* to, const std::byte* from,            \
                                            std::size_t bytes, std::size_t pages) {          \
    const std::size_t stride = pages == 1 ? bytes : kPage;                                   \
    for (std::size_t block = 0; block < bytes; block += stride * pages)                      \
      for (std::size_t line = block; line < block + stride; line += kLine)                   \
        for (std::size_t page = 0; page < pages; ++page) {                                   \
          const std::byte* source = from + line + page * stride;                             \
          std::byte* target = to + line + page * stride;                                     \
          __builtin_prefetch(source + kAhead, 0, 3); /* read, into every cache level */      \
          _Pragma("GCC unroll 4") for (std::size_t at = 0; at < kLine; at += sizeof(VECTOR)) \
              STORE(reinterpret_cast<VECTOR*>(target + at),                                  \
                    LOAD(reinterpret_cast<const VECTOR*>(source + at)));                     \
        }                                                                                    \
  }

LINKBURN_STREAM_LINES(lines_sse2, "sse2", __m128i, _mm_loadu_si128, _mm_stream_si128)
LINKBURN_STREAM_LINES(lines_avx2, "avx2", __m256i, _mm256_loadu_si256, _mm256_stream_si256)
LINKBURN_STREAM_LINES(lines_avx512, "avx512f", __m512i, _mm512_loadu_si512, _mm512_stream_si512)
#undef LINKBURN_STREAM_LINES

using LineCopy = void (*)(std::byte*, const std::byte*, std::size_t, std::size_t);

/// Cuts a block into what comes before the first whole line of the destination, whole groups of
/// `pages` pages (or lines, for one page), and the rest.
template <LineCopy kLines, std::size_t kPages>
void copy_streaming(std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::size_t past_line = reinterpret_cast<std::uintptr_t>(to) % kLine;
  const std::size_t head = std::min(bytes, past_line == 0 ? 0 : kLine - past_line);
  const std::size_t unit = kPages == 1 ? kLine : kPages * kPage;
  const std::size_t body = (bytes - head) / unit * unit;
  std::memcpy(to, from, head);
  if (body > 0) kLines(to + head, from + head, body, kPages);
  std::memcpy(to + head + body, from + head + body, bytes - head - body);
  // Streaming stores are ordered by no later store, so not by the release that ends the copy.
  _mm_sfence();
}

#endif

constexpr CopyMethod kMethods[] = {
    {"memcpy", always, copy_memcpy},
#ifdef __x86_64__
    {"rep_movsb", always, copy_rep_movsb},
    {"stream_sse2", always, copy_streaming<lines_sse2, 1>},
    {"stream_avx2", has_avx2, copy_streaming<lines_avx2, 1>},
    {"stream_avx2_2_pages", has_avx2, copy_streaming<lines_avx2, 2>},
    {"stream_avx512", has_avx512, copy_streaming<lines_avx512, 1>},
#endif
};

}  // namespace

std::span<const CopyMethod> copy_methods() { return kMethods; }

}  // namespace linkburn
