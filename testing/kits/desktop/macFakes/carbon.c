#include "fakes.h"

// Keyboard layouts

static char layout[8] = "us";
static int has_layout = 1;
void fake_set_layout(const char *name) { strcpy(layout, name); has_layout = name[0] != 0; }
static Object *create_input_source(const char *name) {
  Object *source = create(INPUT_SOURCE), *data = create(DATA);
  data->text = strdup(name);
  source->items[source->count++] = data;
  return source;
}
void *TISCopyCurrentKeyboardLayoutInputSource(void) { CALLED; return has_layout ? create_input_source(layout) : 0; }
void *TISCopyCurrentASCIICapableKeyboardLayoutInputSource(void) { CALLED; return has_layout ? create_input_source(strcmp(layout, "ru") ? layout : "de") : 0; }
void *TISGetInputSourceProperty(void *source, const void *key) {
  CALLED;
  return key == &layout_property ? check(source, __func__)->items[0] : 0;
}
uint8_t LMGetKbdType(void) { CALLED; return 40; }
static const char *const us_plain = "asdfhgzxcv\1bqweryt123465=97-80]ou[ip\1lj'k;\\,/nm.\1\1`";
static const char *const us_shift = "ASDFHGZXCV\1BQWERYT!@#$^%+(&_*)}OU{IP\1LJ\"K:|<?NM>\1\1~";
static const char *const ru_plain[] = { "ф", "ы", "в", "а", "р", "п", "я", "ч", "с", "м", "", "и", "й", "ц", "у", "к", "н", "е" };
static const char *translate(const char *name, int code, int modifiers, char *text) {
  int is_command = modifiers & 1, is_shifted = modifiers & 2, is_option = modifiers & 8;
  text[0] = text[1] = 0;
  if (code < 0 || code >= (int)strlen(us_plain)) return text;
  if (!strcmp(name, "ru") && !is_command) return code < 18 && !is_shifted && !is_option ? ru_plain[code] : text;
  if (!strcmp(name, "de")) {
    if (is_option) return code == 37 && !is_shifted ? "@" : text;
    if (code == 6) code = 16; else if (code == 16) code = 6;
    if (code == 26 && is_shifted) return "/";
    if (code == 19 && is_shifted) return "\"";
    if (code == 44) return is_shifted ? "_" : "-";
    if (code == 27) return is_shifted ? "?" : "ß";
  }
  if (is_option) return code == 14 ? "é" : text;
  text[0] = is_shifted ? us_shift[code] : us_plain[code];
  if (text[0] == 1) text[0] = code == 36 ? '\r' : 0;
  return text;
}
OSStatus UCKeyTranslate(const void *data, uint16_t code, uint16_t action, uint32_t modifiers, uint32_t type, uint32_t options,
                        uint32_t *dead, unsigned long max, unsigned long *length, UniChar *string) {
  CALLED;
  if (action != 0 || type != 40 || options != 1 || *dead != 0 || max != 8) { record("FAULT UCKeyTranslate"); return -50; }
  char buffer[2];
  const unsigned char *text = (const unsigned char *)translate(data, code, modifiers, buffer);
  *length = text[0] ? 1 : 0;
  string[0] = text[0] < 0x80 ? text[0] : (text[0] & 31) << 6 | (text[1] & 63);
  return 0;
}

// Hotkeys

typedef struct { uint32_t kind; EventHotKeyID id; int is_queued, is_used; } HotkeyEvent;
typedef OSStatus (*Handler)(void *, void *, void *);
static HotkeyEvent hotkey_events[32];
static Handler handler;
static int hotkey_count, targets[2];
static struct { uint32_t code, modifiers; EventHotKeyID id; int is_used; } hotkeys[32];
/** Presses or releases a registered hotkey. `queued` events have to be fetched; others come with the run loop. */
int fake_send_hotkey(uint32_t code, uint32_t modifiers, int kind, int is_queued) {
  for (int i = 0; i < 32; i++)
    if (hotkeys[i].is_used && hotkeys[i].code == code && hotkeys[i].modifiers == modifiers)
      for (int j = 0; j < 32; j++)
        if (!hotkey_events[j].is_used) {
          HotkeyEvent event = { kind, hotkeys[i].id, is_queued, 1 };
          hotkey_events[j] = event;
          return 1;
        }
  return 0;
}
void *GetApplicationEventTarget(void) { CALLED; return &targets[0]; }
void *GetEventDispatcherTarget(void) { CALLED; return &targets[1]; }
static int handler_status;
/** Decides what installing a handler returns: 0 is success. */
void fake_set_handler_status(int status) { handler_status = status; }
OSStatus InstallEventHandler(void *target, Handler function, unsigned long count, const EventTypeSpec *types, void *data, void **reference) {
  CALLED;
  record("InstallEventHandler application=%d count=%lu types=%x/%u,%x/%u data=%d", target == &targets[0], count, types[0].eventClass, types[0].eventKind, types[1].eventClass, types[1].eventKind, data != 0);
  if (handler_status != 0) return handler_status;
  handler = function;
  *reference = &handler;
  return 0;
}
OSStatus RemoveEventHandler(void *reference) { CALLED; record("RemoveEventHandler known=%d", reference == &handler); handler = 0; return 0; }
OSStatus RegisterEventHotKey(uint32_t code, uint32_t modifiers, EventHotKeyID id, void *target, uint32_t options, void **reference) {
  CALLED;
  record("RegisterEventHotKey code=%u modifiers=0x%x signature=%x id=%u application=%d options=%u", code, modifiers, id.signature, id.id, target == &targets[0], options);
  if (code == 111) return -9878; // F12 belongs to somebody else
  for (int i = 0; i < 32; i++)
    if (!hotkeys[i].is_used) {
      hotkeys[i].code = code; hotkeys[i].modifiers = modifiers; hotkeys[i].id = id; hotkeys[i].is_used = 1;
      hotkey_count++;
      *reference = &hotkeys[i];
      return 0;
    }
  return -1;
}
OSStatus UnregisterEventHotKey(void *reference) {
  CALLED;
  int index = ((char *)reference - (char *)hotkeys) / sizeof hotkeys[0];
  hotkeys[index].is_used = 0;
  hotkey_count--;
  return 0;
}
int fake_get_hotkey_count(void) { return hotkey_count; }
uint32_t GetEventKind(void *event) { CALLED; return ((HotkeyEvent *)event)->kind; }
OSStatus GetEventParameter(void *event, uint32_t name, uint32_t type, uint32_t *actual_type, unsigned long size, unsigned long *actual_size, void *data) {
  CALLED;
  if (name != 0x2d2d2d2d || type != 0x686b6964 || actual_type || actual_size || size != sizeof(EventHotKeyID)) return -9870;
  *(EventHotKeyID *)data = ((HotkeyEvent *)event)->id;
  return 0;
}
int fake_run_loop_count;
int fake_get_run_loop_count(void) { return fake_run_loop_count; }
int32_t CFRunLoopRunInMode(const void *mode, double seconds, Boolean once) {
  CALLED;
  fake_run_loop_count++;
  if (mode != &default_mode || seconds != 0 || once != 1) record("FAULT CFRunLoopRunInMode");
  for (int i = 0; i < 32; i++)
    if (hotkey_events[i].is_used && !hotkey_events[i].is_queued) {
      hotkey_events[i].is_used = 0;
      if (handler) handler(0, &hotkey_events[i], 0);
      return 4;
    }
  return 3;
}
OSStatus ReceiveNextEvent(unsigned long count, const EventTypeSpec *types, double timeout, Boolean pull, void **event) {
  CALLED;
  if (count != 0 || types || timeout != 0 || pull != 1) record("FAULT ReceiveNextEvent");
  for (int i = 0; i < 32; i++)
    if (hotkey_events[i].is_used && hotkey_events[i].is_queued == 1) {
      hotkey_events[i].is_queued = 2;
      *event = &hotkey_events[i];
      return 0;
    }
  return -9875;
}
OSStatus SendEventToEventTarget(void *event, void *target) {
  CALLED;
  return target == &targets[1] && handler ? handler(0, event, 0) : -9874;
}
void ReleaseEvent(void *event) { CALLED; ((HotkeyEvent *)event)->is_used = 0; }
static int is_secure;
void fake_set_secure(int secure) { is_secure = secure; }
Boolean IsSecureEventInputEnabled(void) { CALLED; return is_secure; }
