/* Before libc's own, for every compilation by `raddle cc`: functions that check the sizes of buffers (_FORTIFY_SOURCE, which
   sources define too) are code that the compiler puts in their place, without hooks. And functions whose code libc's headers
   have too (getc_unlocked) are called, as without optimisation: what is known of a function is known of its calls. */
#include_next <features.h>
#undef __USE_FORTIFY_LEVEL
#define __USE_FORTIFY_LEVEL 0
#undef __USE_EXTERN_INLINES
