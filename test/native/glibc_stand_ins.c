// What Debian's C++ library expects of glibc and musl does not have. Only a test loads it.
#include <locale.h>
#include <stddef.h>
#include <time.h>

char __libc_single_threaded = 0;

struct {
  unsigned words[4];
} __cpu_model;

int __cpu_indicator_init(void) { return 0; }

// Destructors of threads' variables do not run: the threads of the test end with the process.
int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* library) {
  (void)destructor;
  (void)object;
  (void)library;
  return 0;
}

// Not found: the unwinder then searches by itself.
int _dl_find_object(void* address, void* result) {
  (void)address;
  (void)result;
  return -1;
}

unsigned arc4random(void) { return 4; }

size_t __strftime_l(char* text, size_t size, const char* format, const struct tm* time,
                    locale_t locale) {
  return strftime_l(text, size, format, time, locale);
}
