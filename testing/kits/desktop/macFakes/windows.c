#include "fakes.h"

// Windows and processes

#define KEY(name) \
  static Object name##_object = { .magic = MAGIC, .type = STRING, .references = 1 << 20, .text = #name }; \
  const void *name = &name##_object;
KEY(kCGWindowNumber)
KEY(kCGWindowOwnerPID)
KEY(kCGWindowLayer)
KEY(kCGWindowAlpha)
KEY(kCGWindowOwnerName)
KEY(kCGWindowName)
KEY(kCGWindowIsOnscreen)
KEY(kCGWindowBounds)

static struct { int number, pid, layer; double alpha; char owner[64], name[64]; } windows[64];
static int window_count, front_pid = -1;
void fake_clear_windows(void) { window_count = 0; }
void fake_add_window(int number, int pid, int layer, double alpha, const char *owner, const char *name) {
  windows[window_count].number = number; windows[window_count].pid = pid; windows[window_count].layer = layer; windows[window_count].alpha = alpha;
  strcpy(windows[window_count].owner, owner); strcpy(windows[window_count++].name, name);
}
void fake_set_front(int pid) { front_pid = pid; }
static void put(Object *dictionary, const char *key, Object *value) {
  dictionary->items[dictionary->count] = create_string(key);
  dictionary->values[dictionary->count++] = value;
}
void *CGWindowListCopyWindowInfo(uint32_t option, uint32_t relative) {
  CALLED;
  if (option != 17 || relative != 0) record("FAULT CGWindowListCopyWindowInfo option=%u relative=%u", option, relative);
  Object *array = create(ARRAY);
  for (int i = 0; i < window_count; i++) {
    Object *window = array->items[array->count++] = create(DICTIONARY);
    put(window, "kCGWindowNumber", create_number(windows[i].number));
    put(window, "kCGWindowOwnerPID", create_number(windows[i].pid));
    put(window, "kCGWindowLayer", create_number(windows[i].layer));
    put(window, "kCGWindowAlpha", create_number(windows[i].alpha));
    put(window, "kCGWindowBounds", create(DICTIONARY));
    Object *shown = create(BOOLEAN);
    shown->number = 1;
    put(window, "kCGWindowIsOnscreen", shown);
    if (windows[i].owner[0]) put(window, "kCGWindowOwnerName", create_string(windows[i].owner));
    if (may_record && windows[i].name[0]) put(window, "kCGWindowName", create_string(windows[i].name));
  }
  return array;
}
OSStatus GetFrontProcess(ProcessSerialNumber *number) {
  CALLED;
  number->high = 1; number->low = front_pid;
  return front_pid < 0 ? -600 : 0;
}
OSStatus GetProcessPID(const ProcessSerialNumber *number, int32_t *pid) { CALLED; *pid = number->low; return number->high == 1 ? 0 : -600; }
static struct { int pid, parent; char path[64]; } processes[16];
static int process_count;
void fake_add_process(int pid, int parent, const char *path) {
  processes[process_count].pid = pid; processes[process_count].parent = parent;
  strcpy(processes[process_count++].path, path);
}
int proc_pidpath(int pid, void *buffer, uint32_t size) {
  CALLED;
  for (int i = 0; i < process_count; i++) if (processes[i].pid == pid && size >= 4096) { strcpy(buffer, processes[i].path); return strlen(buffer); }
  return 0;
}
struct proc_bsdinfo { uint32_t flags, status, xstatus, pid, ppid, rest[29]; };
int proc_pidinfo(int pid, int flavor, uint64_t argument, void *buffer, int size) {
  CALLED;
  struct proc_bsdinfo *info = buffer;
  if (flavor != 3 || argument != 0 || size < (int)sizeof *info) return 0;
  for (int i = 0; i < process_count; i++) if (processes[i].pid == pid) { info->pid = pid; info->ppid = processes[i].parent; return sizeof *info; }
  return 0;
}
