#include "fakes.h"

#define LOG_BYTES (1 << 18)
static char logged[LOG_BYTES], taken[LOG_BYTES], called[1 << 14], taken_document[1 << 16];
char document[1 << 16];

void record(const char *format, ...) {
  size_t length = strlen(logged);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(logged + length, LOG_BYTES - length - 1, format, arguments);
  va_end(arguments);
  strncat(logged, "\n", LOG_BYTES - strlen(logged) - 1);
}
void mark(const char *name) {
  char line[80];
  snprintf(line, sizeof line, "\n%s\n", name);
  if (!strstr(called, line)) strncat(called, line, sizeof called - strlen(called) - 1);
}
const char *fake_take_log(void) { strcpy(taken, logged); logged[0] = 0; return taken; }
const char *fake_get_called(void) { return called; }
const char *fake_take_document(void) { strcpy(taken_document, document); document[0] = 0; return taken_document; }


// Core Foundation

static int live;
void count_live(int change) { live += change; }
Object *create(int type) {
  Object *object = calloc(1, sizeof *object);
  object->magic = MAGIC;
  object->type = type;
  object->references = 1;
  live++;
  return object;
}
Object *check(const void *pointer, const char *name) {
  Object *object = (Object *)pointer;
  if (!object || object->magic != MAGIC) { record("FAULT %s got no object", name); abort(); }
  return object;
}
Object *create_string(const char *text) { Object *s = create(STRING); s->text = strdup(text); return s; }
Object *create_number(double number) { Object *n = create(NUMBER); n->number = number; return n; }
int fake_get_live(void) { return live; }

void CFRelease(const void *pointer) {
  CALLED;
  Object *object = check(pointer, __func__);
  if (--object->references > 0) return;
  for (int i = 0; i < object->count; i++) {
    if (object->items[i]) CFRelease(object->items[i]);
    if (object->values[i]) CFRelease(object->values[i]);
  }
  free(object->text);
  object->magic = 0;
  live--;
  free(object);
}
unsigned long CFGetTypeID(const void *o) { CALLED; return check(o, __func__)->type; }
unsigned long CFStringGetTypeID(void) { CALLED; return STRING; }
unsigned long CFNumberGetTypeID(void) { CALLED; return NUMBER; }
unsigned long CFDictionaryGetTypeID(void) { CALLED; return DICTIONARY; }
static int count_units(const char *text) {
  int count = 0;
  for (; *text; text++) if ((*text & 0xc0) != 0x80) count += (*text & 0xf8) == 0xf0 ? 2 : 1;
  return count;
}
long CFStringGetLength(const void *s) { CALLED; return count_units(check(s, __func__)->text); }
Boolean CFStringGetCString(const void *s, char *buffer, long size, uint32_t encoding) {
  CALLED;
  const char *text = check(s, __func__)->text;
  if (encoding != 0x08000100 || (long)strlen(text) >= size) return 0;
  strcpy(buffer, text);
  return 1;
}
Boolean CFNumberGetValue(const void *n, long type, void *value) {
  CALLED;
  if (type != 13) return 0;
  *(double *)value = check(n, __func__)->number;
  return 1;
}
long CFArrayGetCount(const void *a) { CALLED; return check(a, __func__)->count; }
const void *CFArrayGetValueAtIndex(const void *a, long index) { CALLED; return check(a, __func__)->items[index]; }
const void *CFDictionaryGetValue(const void *d, const void *k) {
  CALLED;
  Object *dictionary = check(d, __func__), *key = check(k, __func__);
  for (int i = 0; i < dictionary->count; i++) if (!strcmp(dictionary->items[i]->text, key->text)) return dictionary->values[i];
  return 0;
}
const uint8_t *CFDataGetBytePtr(const void *d) { CALLED; return (uint8_t *)check(d, __func__)->text; }

Object default_mode = { .magic = MAGIC, .type = MODE, .references = 1 << 20 };
Object layout_property = { .magic = MAGIC, .type = STRING, .references = 1 << 20 };
const void *kCFRunLoopDefaultMode = &default_mode;
const void *kTISPropertyUnicodeKeyLayoutData = &layout_property;
