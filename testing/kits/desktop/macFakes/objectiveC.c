#include "fakes.h"

// Objective-C

static char selectors[8][128];
static Object event_class = { .magic = MAGIC, .type = INPUT_SOURCE, .references = 1 << 20 };
static Object *pooled;
static int pool_depth;
int fake_get_pool_depth(void) { return pool_depth; }
void *objc_getClass(const char *name) { CALLED; return strcmp(name, "NSEvent") ? 0 : &event_class; }
void *sel_registerName(const char *name) {
  CALLED;
  for (int i = 0; i < 8; i++) {
    if (!selectors[i][0]) strcpy(selectors[i], name);
    if (!strcmp(selectors[i], name)) return selectors[i];
  }
  return 0;
}
void *objc_autoreleasePoolPush(void) { CALLED; pool_depth++; return &pooled; }
void objc_autoreleasePoolPop(void *pool) {
  CALLED;
  if (pool != &pooled) record("FAULT objc_autoreleasePoolPop");
  if (pooled) CFRelease(pooled);
  pooled = 0;
  pool_depth--;
}
void *objc_msgSend(void *self, void *selector, uint64_t type, CGPoint location, uint64_t flags, double time, int64_t window, void *context, int16_t subtype, int64_t data1, int64_t data2) {
  CALLED;
  if (!strcmp(selector, "CGEvent")) return self;
  if (self != &event_class || !strstr(selector, "otherEventWithType:location:modifierFlags:timestamp:windowNumber:context:subtype:data1:data2:") || location.x != 0 || location.y != 0 || time != 0 || window != 0 || context)
    record("FAULT objc_msgSend");
  pooled = create(EVENT);
  pooled->kind = SYSTEM_EVENT; pooled->code = type; pooled->flags = flags; pooled->subtype = subtype; pooled->data1 = data1; pooled->data2 = data2;
  return pooled;
}
