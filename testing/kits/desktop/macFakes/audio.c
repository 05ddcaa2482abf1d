#include "fakes.h"

// Sound

enum { NO_VOLUME, MAIN_VOLUME, DEVICE_VOLUME, CHANNEL_VOLUMES };
static struct { uint32_t id; char name[64]; int is_output, kind, is_hidden; uint32_t muted; float volumes[3]; } devices[8];
static struct { uint32_t id; int32_t pid; uint32_t is_recording, is_playing; } sounds[8];
static int device_count, sound_count;
static uint32_t default_output;
void fake_add_device(int id, const char *name, int is_output, int kind, int is_hidden) {
  devices[device_count].id = id; strcpy(devices[device_count].name, name);
  devices[device_count].is_output = is_output; devices[device_count].kind = kind; devices[device_count].is_hidden = is_hidden;
  for (int i = 0; i < 3; i++) devices[device_count].volumes[i] = 0.5f;
  device_count++;
}
void fake_set_volume(int index, int element, double volume) { devices[index].volumes[element] = volume; }
double fake_get_volume(int index, int element) { return devices[index].volumes[element]; }
int fake_get_muted(int index) { return devices[index].muted; }
void fake_set_default_output(int id) { default_output = id; }
void fake_clear_devices(void) { device_count = 0; }
void fake_add_sound(int id, int pid, int recording, int playing) {
  sounds[sound_count].id = id; sounds[sound_count].pid = pid;
  sounds[sound_count].is_recording = recording; sounds[sound_count++].is_playing = playing;
}
void fake_clear_sounds(void) { sound_count = 0; }
static uint32_t to_code(const char *text) { return (uint32_t)text[0] << 24 | (uint32_t)text[1] << 16 | (uint32_t)text[2] << 8 | (uint32_t)text[3]; }
static int is_property(const AudioObjectPropertyAddress *a, const char *selector, const char *scope, uint32_t element) {
  return a->selector == to_code(selector) && a->scope == to_code(scope) && a->element == element;
}
static int write_property(const void *value, uint32_t size, uint32_t *io_size, void *data) {
  if (data && *io_size < size) return -1;
  if (data) memcpy(data, value, size);
  *io_size = size;
  return 1;
}
/** Finds the volume that a property means; null if the device lacks it. */
static float *find_volume(int index, const AudioObjectPropertyAddress *a) {
  int kind = devices[index].kind;
  if (kind == MAIN_VOLUME && is_property(a, "vmvc", "outp", 0)) return &devices[index].volumes[0];
  if (kind == DEVICE_VOLUME && is_property(a, "volm", "outp", 0)) return &devices[index].volumes[0];
  for (uint32_t i = 1; i < 3; i++)
    if (kind == CHANNEL_VOLUMES && is_property(a, "volm", "outp", i)) return &devices[index].volumes[i];
  return 0;
}
/** Returns 1 and the value, 0 if the object lacks the property, or -1 if there is too little room. */
static int read_property(uint32_t object, const AudioObjectPropertyAddress *a, uint32_t *size, void *data) {
  uint32_t ids[8], streams[1] = { 99 };
  if (object == 1 && is_property(a, "dev#", "glob", 0)) {
    for (int i = 0; i < device_count; i++) ids[i] = devices[i].id;
    return write_property(ids, 4 * device_count, size, data);
  }
  if (object == 1 && is_property(a, "prs#", "glob", 0)) {
    for (int i = 0; i < sound_count; i++) ids[i] = sounds[i].id;
    return write_property(ids, 4 * sound_count, size, data);
  }
  if (object == 1 && is_property(a, "dOut", "glob", 0)) return write_property(&default_output, 4, size, data);
  for (int i = 0; i < device_count; i++) {
    if (devices[i].id != object) continue;
    if (is_property(a, "lnam", "glob", 0)) {
      Object *name = data ? create_string(devices[i].name) : 0;
      return write_property(&name, sizeof name, size, data);
    }
    uint32_t hidden = devices[i].is_hidden;
    if (is_property(a, "hidn", "glob", 0)) return write_property(&hidden, 4, size, data);
    if (is_property(a, "stm#", "outp", 0)) return write_property(streams, devices[i].is_output ? 4 : 0, size, data);
    if (is_property(a, "mute", "outp", 0) && devices[i].kind != NO_VOLUME) return write_property(&devices[i].muted, 4, size, data);
    float *volume = find_volume(i, a);
    if (volume) return write_property(volume, 4, size, data);
  }
  for (int i = 0; i < sound_count; i++) {
    if (sounds[i].id != object) continue;
    if (is_property(a, "ppid", "glob", 0)) return write_property(&sounds[i].pid, 4, size, data);
    if (is_property(a, "piri", "glob", 0)) return write_property(&sounds[i].is_recording, 4, size, data);
    if (is_property(a, "piro", "glob", 0)) return write_property(&sounds[i].is_playing, 4, size, data);
  }
  return 0;
}
Boolean AudioObjectHasProperty(uint32_t object, const AudioObjectPropertyAddress *address) {
  CALLED;
  uint32_t size = 0;
  return read_property(object, address, &size, 0) == 1;
}
OSStatus AudioObjectIsPropertySettable(uint32_t object, const AudioObjectPropertyAddress *address, Boolean *settable) {
  CALLED;
  uint32_t size = 0;
  if (read_property(object, address, &size, 0) != 1) return 2003332927;
  *settable = 1;
  return 0;
}
OSStatus AudioObjectGetPropertyDataSize(uint32_t object, const AudioObjectPropertyAddress *address, uint32_t qualifier_size, const void *qualifier, uint32_t *size) {
  CALLED;
  if (qualifier_size || qualifier) record("FAULT AudioObjectGetPropertyDataSize");
  return read_property(object, address, size, 0) == 1 ? 0 : 2003332927;
}
OSStatus AudioObjectGetPropertyData(uint32_t object, const AudioObjectPropertyAddress *address, uint32_t qualifier_size, const void *qualifier, uint32_t *size, void *data) {
  CALLED;
  if (qualifier_size || qualifier) record("FAULT AudioObjectGetPropertyData");
  int result = read_property(object, address, size, data);
  return result == 1 ? 0 : result == 0 ? 2003332927 : 561211770;
}
OSStatus AudioObjectSetPropertyData(uint32_t object, const AudioObjectPropertyAddress *address, uint32_t qualifier_size, const void *qualifier, uint32_t size, const void *data) {
  CALLED;
  if (qualifier_size || qualifier || size != 4) record("FAULT AudioObjectSetPropertyData");
  for (int i = 0; i < device_count; i++) {
    if (devices[i].id != object) continue;
    if (is_property(address, "mute", "outp", 0)) { memcpy(&devices[i].muted, data, 4); return 0; }
    float *volume = find_volume(i, address);
    if (volume) { memcpy(volume, data, 4); return 0; }
  }
  return 2003332927;
}
