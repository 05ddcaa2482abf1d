#include "fakes.h"

// Permissions

static int trusted = 1, may_post = 1;
int may_record = 1;
void fake_set_permissions(int trust, int post, int screen) { trusted = trust; may_post = post; may_record = screen; }
Boolean AXIsProcessTrusted(void) { CALLED; return trusted; }
uint8_t CGPreflightPostEventAccess(void) { CALLED; return may_post; }
uint8_t CGRequestPostEventAccess(void) { CALLED; record("CGRequestPostEventAccess"); return may_post; }
uint8_t CGPreflightScreenCaptureAccess(void) { CALLED; return may_record; }

// Events

static CGPoint pointer = { 100, 100 };
static double screens[2][4] = { { 0, 0, 1440, 900 }, { 0, 0, 0, 0 } }, idle_seconds = 2.5;
void fake_set_pointer(double x, double y) { pointer.x = x; pointer.y = y; }
void fake_set_screen(int index, double x, double y, double width, double height) {
  double screen[4] = { x, y, width, height };
  memcpy(screens[index], screen, sizeof screen);
}
void fake_set_idle(double seconds) { idle_seconds = seconds; }
void *CGEventSourceCreate(int32_t state) {
  CALLED;
  record("CGEventSourceCreate state=%d", state);
  Object *source = create(SOURCE);
  count_live(-1); // it stays for the whole session
  return source;
}
void *CGEventCreateKeyboardEvent(void *source, uint16_t code, uint8_t down) {
  CALLED;
  Object *event = create(EVENT);
  event->kind = KEY_EVENT; event->code = code; event->down = down; event->source = source; event->flags = 0xdead;
  return event;
}
void CGEventKeyboardSetUnicodeString(void *e, unsigned long length, const UniChar *string) {
  CALLED;
  Object *event = check(e, __func__);
  event->unit_count = length > 20 ? 20 : (int)length; // the limit of macOS
  memcpy(event->units, string, event->unit_count * sizeof *string);
}
void CGEventSetFlags(void *e, uint64_t flags) { CALLED; check(e, __func__)->flags = flags; }
void CGEventSetIntegerValueField(void *e, uint32_t field, int64_t value) {
  CALLED;
  Object *event = check(e, __func__);
  event->fields[event->field_count][0] = field;
  event->fields[event->field_count++][1] = value;
}
void *CGEventCreateMouseEvent(void *source, uint32_t type, CGPoint point, uint32_t button) {
  CALLED;
  Object *event = create(EVENT);
  event->kind = MOUSE_EVENT; event->code = type; event->point = point; event->button = button; event->source = source;
  return event;
}
void *CGEventCreateScrollWheelEvent2(void *source, uint32_t unit, uint32_t count, int32_t one, int32_t two, int32_t three) {
  CALLED;
  Object *event = create(EVENT);
  event->kind = WHEEL_EVENT; event->unit = unit; event->button = count; event->source = source;
  event->wheels[0] = one; event->wheels[1] = two; event->wheels[2] = three;
  return event;
}
static void to_utf8(const UniChar *units, int count, char *text) {
  for (int i = 0; i < count; i++) {
    uint32_t c = units[i];
    if (c >= 0xd800 && c < 0xdc00 && i + 1 < count && units[i + 1] >= 0xdc00 && units[i + 1] < 0xe000)
      c = 0x10000 + ((c - 0xd800) << 10) + (units[++i] - 0xdc00);
    if (c < 0x80) *text++ = c;
    else if (c < 0x800) { *text++ = 0xc0 | c >> 6; *text++ = 0x80 | (c & 63); }
    else if (c >= 0xd800 && c < 0xe000) *text++ = '?'; // half of a character
    else if (c < 0x10000) { *text++ = 0xe0 | c >> 12; *text++ = 0x80 | (c >> 6 & 63); *text++ = 0x80 | (c & 63); }
    else { *text++ = 0xf0 | c >> 18; *text++ = 0x80 | (c >> 12 & 63); *text++ = 0x80 | (c >> 6 & 63); *text++ = 0x80 | (c & 63); }
  }
  *text = 0;
}
void CGEventPost(uint32_t tap, void *e) {
  CALLED;
  Object *event = check(e, __func__);
  char text[256] = "", fields[128] = "";
  for (int i = 0; i < event->field_count; i++)
    snprintf(fields + strlen(fields), sizeof fields - strlen(fields), " field%d=%d", (int)event->fields[i][0], (int)event->fields[i][1]);
  if (event->kind == KEY_EVENT) {
    to_utf8(event->units, event->unit_count, text);
    record("key tap=%u code=%d down=%d flags=0x%lx source=%d text=%s", tap, event->code, event->down, event->flags, event->source != 0, text);
    int is_plain = event->flags == 0;
    if (event->down && is_plain && event->unit_count > 0) strncat(document, text, sizeof document - strlen(document) - 1);
    else if (event->down && is_plain && event->code == 36) strcat(document, "\n");
    else if (event->down && is_plain && event->code == 48) strcat(document, "\t");
    else if (event->down && is_plain && event->code == 51) strcat(document, "\b");
  } else if (event->kind == MOUSE_EVENT) {
    pointer = event->point;
    record("mouse tap=%u type=%d x=%g y=%g button=%d flags=0x%lx source=%d%s", tap, event->code, event->point.x, event->point.y, event->button, event->flags, event->source != 0, fields);
  } else if (event->kind == WHEEL_EVENT)
    record("wheel tap=%u unit=%d count=%d one=%d two=%d three=%d flags=0x%lx", tap, event->unit, event->button, event->wheels[0], event->wheels[1], event->wheels[2], event->flags);
  else
    record("system tap=%u type=%d subtype=%d data1=0x%lx data2=%ld flags=0x%lx", tap, event->code, event->subtype, event->data1, event->data2, event->flags);
}
double CGEventSourceSecondsSinceLastEventType(int32_t state, uint32_t type) {
  CALLED;
  return state == 0 && type == 0xffffffff ? idle_seconds : -1;
}
int32_t CGWarpMouseCursorPosition(CGPoint point) { CALLED; record("warp x=%g y=%g", point.x, point.y); pointer = point; return 0; }
int32_t CGGetDisplaysWithPoint(CGPoint point, uint32_t max, uint32_t *displays, uint32_t *count) {
  CALLED;
  *count = 0;
  for (int i = 0; i < 2 && *count < max; i++) {
    double *s = screens[i];
    if (point.x >= s[0] && point.x < s[0] + s[2] && point.y >= s[1] && point.y < s[1] + s[3]) displays[(*count)++] = 7 + i;
  }
  return 0;
}
uint32_t CGMainDisplayID(void) { CALLED; return 7; }
unsigned long CGDisplayPixelsWide(uint32_t display) { CALLED; return display == 7 ? screens[0][2] : 0; }
unsigned long CGDisplayPixelsHigh(uint32_t display) { CALLED; return display == 7 ? screens[0][3] : 0; }
void *CGDisplayCopyDisplayMode(uint32_t display) {
  CALLED;
  if (display != 7 || screens[0][2] == 0) return 0;
  Object *mode = create(DATA);
  mode->point.x = 2 * screens[0][2]; mode->point.y = 2 * screens[0][3]; // a Retina screen
  return mode;
}
unsigned long CGDisplayModeGetPixelWidth(void *mode) { CALLED; return check(mode, __func__)->point.x; }
unsigned long CGDisplayModeGetPixelHeight(void *mode) { CALLED; return check(mode, __func__)->point.y; }
void *HIGetMousePosition(uint32_t space, void *object, CGPoint *point) {
  CALLED;
  if (space != 1 || object) record("FAULT HIGetMousePosition space=%u", space);
  point->x = pointer.x; point->y = pointer.y + 0.5;
  return point;
}
