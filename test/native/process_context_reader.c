// Reads the process context of another process as a profiler does, from /proc/PID/maps and
// /proc/PID/mem alone, and prints it: the name of the mapping, the time of its publication, and its
// attributes. `reader PID [COUNT]` reads until it has seen COUNT contexts, one after the other,
// with an empty line after each.
//
// Source: opentelemetry-specification, oteps/profiles/4719-process-ctx.md, "Reading Protocol".
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PAYLOAD = 65536 };

struct header {
  char signature[8];
  uint32_t version;
  uint32_t payload_size;
  uint64_t published_at;
  uint64_t payload;
};

struct bytes {
  const uint8_t* at;
  const uint8_t* end;
};

static void fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static uint64_t find_mapping(const char* pid, char* name, size_t size) {
  static const char* const kNames[] = {
      "[anon_shmem:OTEL_CTX]", "[anon:OTEL_CTX]", "/memfd:OTEL_CTX"};
  char path[64], line[4352];
  snprintf(path, sizeof path, "/proc/%s/maps", pid);
  FILE* maps = fopen(path, "r");
  if (maps == NULL) fail(strerror(errno));
  uint64_t found = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    for (int i = 0; i < 3; ++i) {
      const char* at = strstr(line, kNames[i]);
      if (at == NULL) continue;
      if (found != 0) fail("there are two mappings");
      found = strtoull(line, NULL, 16);
      snprintf(name, size, "%.*s", (int)strcspn(at, "\n"), at);
    }
  }
  fclose(maps);
  return found;
}

static uint64_t varint(struct bytes* message) {
  uint64_t value = 0;
  for (int shift = 0; message->at < message->end && shift < 64; shift += 7) {
    uint8_t byte = *message->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail("a number has no end");
  return 0;
}

// Takes a field that is a message or a text.
static struct bytes field(struct bytes* message, uint64_t number) {
  if (varint(message) != (number << 3 | 2)) fail("another field was expected");
  uint64_t size = varint(message);
  if (size > (uint64_t)(message->end - message->at)) fail("a field has no end");
  struct bytes inner = {message->at, message->at + size};
  message->at += size;
  return inner;
}

static void print(struct bytes text) { fwrite(text.at, 1, (size_t)(text.end - text.at), stdout); }

// ProcessContext.resource.attributes, whose values are texts or whole numbers.
static void print_attributes(struct bytes context) {
  struct bytes resource = field(&context, 1);
  if (context.at != context.end) fail("there is more than a resource");
  while (resource.at < resource.end) {
    struct bytes pair = field(&resource, 1);
    print(field(&pair, 1));
    putchar('=');
    struct bytes value = field(&pair, 2);
    if (*value.at == (3 << 3)) {
      value.at++;
      printf("%llu\n", (unsigned long long)varint(&value));
    } else {
      print(field(&value, 1));
      putchar('\n');
    }
  }
}

static int read_at(int memory, uint64_t address, void* into, size_t size) {
  return pread(memory, into, size, (off_t)address) == (ssize_t)size;
}

// Returns false while the context changes.
static int read_context(int memory, uint64_t mapping, struct header* header, uint8_t* payload) {
  uint64_t again;
  if (!read_at(memory, mapping, header, sizeof *header)) fail(strerror(errno));
  if (memcmp(header->signature, "OTEL_CTX", 8) != 0) fail("the signature is another");
  if (header->version != 2) fail("the version is another");
  if (header->published_at == 0 || header->payload_size > MAX_PAYLOAD) return 0;
  int is_read = read_at(memory, header->payload, payload, header->payload_size);
  if (!read_at(memory, mapping + 16, &again, sizeof again)) fail(strerror(errno));
  if (again != header->published_at) return 0;
  if (!is_read || header->payload_size == 0) fail("the payload cannot be read");
  return 1;
}

int main(int count, char** arguments) {
  if (count < 2) fail("reader PID [COUNT]");
  char name[64], path[64];
  static uint8_t payload[MAX_PAYLOAD];
  uint64_t mapping = find_mapping(arguments[1], name, sizeof name);
  if (mapping == 0) fail("there is no context");
  snprintf(path, sizeof path, "/proc/%s/mem", arguments[1]);
  int memory = open(path, O_RDONLY);
  if (memory < 0) fail(strerror(errno));
  uint64_t last = 0;
  for (int left = count > 2 ? atoi(arguments[2]) : 1; left > 0;) {
    struct header header;
    if (!read_context(memory, mapping, &header, payload) || header.published_at == last) continue;
    last = header.published_at;
    --left;
    printf("mapping=%s\npublished=%llu\n", name, (unsigned long long)header.published_at);
    print_attributes((struct bytes){payload, payload + header.payload_size});
    putchar('\n');
  }
  return 0;
}
