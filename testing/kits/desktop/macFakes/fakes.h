// Fakes of the functions of macOS that the agent calls, with the signatures of Apple's headers. They record what they
// are called with, behave like macOS where that matters, and count objects that were not released.
#pragma once
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char Boolean;
typedef int32_t OSStatus;
typedef uint16_t UniChar;
typedef struct { double x, y; } CGPoint;
typedef struct { uint32_t signature, id; } EventHotKeyID;
typedef struct { uint32_t eventClass, eventKind; } EventTypeSpec;
typedef struct { uint32_t high, low; } ProcessSerialNumber;
typedef struct { uint32_t selector, scope, element; } AudioObjectPropertyAddress;

enum { STRING = 11, NUMBER, BOOLEAN, ARRAY, DICTIONARY, DATA, EVENT, SOURCE, MODE, INPUT_SOURCE };
typedef struct Object {
  uint32_t magic;
  int type, references, count;
  double number;
  char *text;
  struct Object *items[64], *values[64];
  // Events
  int kind, subtype, code, down, button, unit, wheels[3], field_count;
  uint64_t flags;
  int64_t data1, data2, fields[8][2];
  CGPoint point;
  UniChar units[64];
  int unit_count;
  void *source;
} Object;
#define MAGIC 0x50454742

/** Adds a line to the log. */
void record(const char *format, ...);
/** Remembers that a function was called. */
void mark(const char *name);
#define CALLED mark(__func__)

Object *create(int type);
/** Ends the program if the pointer is no object, or one that was released. */
Object *check(const void *pointer, const char *name);
Object *create_string(const char *text);
Object *create_number(double number);
void count_live(int change);
void CFRelease(const void *object);

extern Object default_mode, layout_property;
extern int may_record;
/** What was typed. */
extern char document[1 << 16];

/** Kinds of events. */
enum { KEY_EVENT = 1, MOUSE_EVENT, WHEEL_EVENT, SYSTEM_EVENT };
