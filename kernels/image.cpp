#include "kernels/image.h"

#ifdef LINKBURN_KERNEL_IMAGE

// The assembler takes the file as it is; a string literal of this size would cost the compiler
// seconds. Aligned as the header of a fatbin wants it.
asm(".pushsection .rodata\n"
    ".balign 64\n"
    "linkburn_kernels_begin:\n"
    ".incbin \"" LINKBURN_KERNEL_IMAGE
    "\"\n"
    "linkburn_kernels_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" const char linkburn_kernels_begin[], linkburn_kernels_end[];

#endif

namespace linkburn {

KernelImage kernel_image() {
#ifdef LINKBURN_KERNEL_IMAGE
  return {{linkburn_kernels_begin, linkburn_kernels_end}, LINKBURN_KERNELS_MADE};
#else
  return {};
#endif
}

}  // namespace linkburn
