// Fakes of the functions of Windows that drivers call. Each library has its own copy, with state of its own.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** A function that does nothing, and returns 0. */
#define STUB(name) \
  uint64_t name(void) { return 0; }

STUB(GetAsyncKeyState)
STUB(MapVirtualKeyExW)
STUB(VkKeyScanExW)
STUB(GetKeyboardLayout)
STUB(GetForegroundWindow)
STUB(GetWindowThreadProcessId)
STUB(GetWindowTextW)
STUB(GetClassNameW)
STUB(GetWindow)
STUB(GetWindowLongW)
STUB(IsWindowVisible)
STUB(EnumWindows)
STUB(FindWindowExW)
STUB(GetLastInputInfo)
STUB(RegisterHotKey)
STUB(UnregisterHotKey)
STUB(PeekMessageW)
STUB(EmptyClipboard)
STUB(SetClipboardData)
STUB(DestroyWindow)
STUB(PostMessageW)
STUB(SetDlgItemTextW)
STUB(LoadIconW)
STUB(Shell_NotifyIconW)
STUB(GetTickCount)
STUB(GlobalAlloc)
STUB(GlobalFree)
STUB(GlobalUnlock)
STUB(OpenProcess)
STUB(GetCurrentProcess)
STUB(CloseHandle)
STUB(QueryFullProcessImageNameW)
STUB(CreateToolhelp32Snapshot)
STUB(Process32FirstW)
STUB(Process32NextW)
STUB(CreateJobObjectW)
STUB(SetInformationJobObject)
STUB(AssignProcessToJobObject)
STUB(TerminateJobObject)

uint64_t CreateWindowExW(void) { return 1; }
static volatile int is_thread_slow = 0;
uint32_t GetCurrentThreadId(void) {
  while (is_thread_slow) usleep(1000);
  return 42;
}
void fake_set_thread_slow(int32_t is_slow) { is_thread_slow = is_slow; }

// The owner of the clipboard answers, or hangs.
static const uint16_t CLIPBOARD_TEXT[] = {'c', 'o', 'p', 'i', 'e', 'd', 0};
static volatile int is_clipboard_open = 0;
static volatile int is_owner_hung = 0;
int32_t OpenClipboard(void) { return is_clipboard_open ? 0 : (is_clipboard_open = 1); }
int32_t CloseClipboard(void) { return !(is_clipboard_open = 0); }
const void *GetClipboardData(void) {
  while (is_owner_hung) usleep(1000);
  return CLIPBOARD_TEXT;
}
void fake_set_owner_hung(int32_t is_hung) { is_owner_hung = is_hung; }
void *GlobalLock(void *memory) { return memory; }
uint64_t GlobalSize(void) { return sizeof CLIPBOARD_TEXT; }

// A box that nobody sees stays until its thread is asked to quit, or is lost for good.
static volatile int is_box_lost = 0;
static volatile int box_result = -1;
static volatile uint32_t boxes = 0;
static volatile uint32_t quit_messages = 0;
int32_t MessageBoxW(void) {
  boxes++;
  while (box_result < 0) usleep(1000);
  return box_result;
}
int32_t PostThreadMessageW(void) {
  quit_messages++;
  if (!is_box_lost) box_result = 0;
  return 1;
}
void fake_set_box(int32_t is_lost, int32_t result) {
  is_box_lost = is_lost;
  box_result = result;
  boxes = quit_messages = 0;
}
uint32_t fake_get_boxes(void) { return boxes; }
uint32_t fake_get_quit_messages(void) { return quit_messages; }

// Two screens side by side, with their upper edges in line: the right one is smaller.
static const int32_t SCREENS[2][4] = {{0, 0, 1920, 1080}, {1920, 0, 3200, 720}};
int32_t GetSystemMetrics(int32_t index) {
  return index == 0 || index == 78 ? (index == 0 ? 1920 : 3200) : index == 1 || index == 79 ? 1080 : 0;
}
static int32_t cursor[2] = {0, 0};
int32_t GetCursorPos(int32_t *point) {
  memcpy(point, cursor, sizeof cursor);
  return 1;
}
void fake_set_cursor(int32_t x, int32_t y) {
  cursor[0] = x;
  cursor[1] = y;
}
static int64_t get_distance(int64_t value, int64_t start, int64_t end) {
  return value < start ? start - value : value >= end ? value - end + 1 : 0;
}
uint64_t MonitorFromPoint(int64_t point) {
  int32_t x = (int32_t)point, y = (int32_t)(point >> 32);
  int64_t distances[2];
  for (int index = 0; index < 2; index++) {
    int64_t dx = get_distance(x, SCREENS[index][0], SCREENS[index][2]);
    int64_t dy = get_distance(y, SCREENS[index][1], SCREENS[index][3]);
    distances[index] = dx * dx + dy * dy;
  }
  return distances[1] < distances[0] ? 2 : 1;
}
int32_t GetMonitorInfoW(uint64_t monitor, int32_t *info) {
  memcpy(info + 1, SCREENS[monitor - 1], sizeof SCREENS[0]);
  return 1;
}

// Windows refuses input with an error, until it has refused so many times.
static uint32_t refusals = 0;
static uint32_t last_error = 0;
static uint32_t attempts = 0;
uint32_t SendInput(uint32_t count) {
  attempts++;
  if (refusals == 0) return count;
  refusals--;
  return 0;
}
void fake_refuse_input(uint32_t count) {
  refusals = count;
  attempts = 0;
}
uint32_t fake_get_attempts(void) { return attempts; }
uint32_t GetLastError(void) { return last_error; }
void fake_set_last_error(uint32_t error) { last_error = error; }
