// The functions of macOS that the drivers call. node:ffi can't return structures, so none of these does. Structures of
// two doubles are passed as two doubles, and those of two 32-bit numbers as one 64-bit number, as both ABIs do.
import { Refusal } from '#platform/contract/refusal.ts';
import { getFfi } from '../native/ffi.ts';

/** Paths of the libraries. Tests replace them by a library of fakes. */
export interface MacLibraryPaths {
  readonly coreFoundation: string;
  /** Core Graphics and accessibility. */
  readonly applicationServices: string;
  /** Keyboard layouts, hotkeys, front application. */
  readonly carbon: string;
  readonly coreAudio: string;
  readonly appKit: string;
  readonly objectiveC: string;
  readonly system: string;
}

const getFrameworkPath = (name: string): string => `/System/Library/Frameworks/${name}.framework/${name}`;

export const MAC_LIBRARY_PATHS: MacLibraryPaths = {
  coreFoundation: getFrameworkPath('CoreFoundation'),
  applicationServices: getFrameworkPath('ApplicationServices'),
  carbon: getFrameworkPath('Carbon'),
  coreAudio: getFrameworkPath('CoreAudio'),
  appKit: getFrameworkPath('AppKit'),
  objectiveC: '/usr/lib/libobjc.A.dylib',
  system: '/usr/lib/libSystem.B.dylib',
};

const loadFoundation = (path: string) =>
  getFfi().dlopen(path, {
    CFRelease: { arguments: ['pointer'], return: 'void' },
    CFGetTypeID: { arguments: ['pointer'], return: 'uint64' },
    CFStringGetTypeID: { arguments: [], return: 'uint64' },
    CFNumberGetTypeID: { arguments: [], return: 'uint64' },
    CFDictionaryGetTypeID: { arguments: [], return: 'uint64' },
    CFStringGetLength: { arguments: ['pointer'], return: 'int64' },
    CFStringGetCString: { arguments: ['pointer', 'buffer', 'int64', 'uint32'], return: 'uint8' },
    CFNumberGetValue: { arguments: ['pointer', 'int64', 'buffer'], return: 'uint8' },
    CFArrayGetCount: { arguments: ['pointer'], return: 'int64' },
    CFArrayGetValueAtIndex: { arguments: ['pointer', 'int64'], return: 'pointer' },
    CFDictionaryGetValue: { arguments: ['pointer', 'pointer'], return: 'pointer' },
    CFDataGetBytePtr: { arguments: ['pointer'], return: 'pointer' },
    CFRunLoopRunInMode: { arguments: ['pointer', 'double', 'uint8'], return: 'int32' },
  });

const loadPermissions = (path: string) =>
  getFfi().dlopen(path, {
    AXIsProcessTrusted: { arguments: [], return: 'uint8' },
    CGPreflightPostEventAccess: { arguments: [], return: 'uint8' },
    CGRequestPostEventAccess: { arguments: [], return: 'uint8' },
    CGPreflightScreenCaptureAccess: { arguments: [], return: 'uint8' },
  });

const loadGraphics = (path: string) =>
  getFfi().dlopen(path, {
    CGEventCreateKeyboardEvent: { arguments: ['pointer', 'uint16', 'uint8'], return: 'pointer' },
    CGEventKeyboardSetUnicodeString: { arguments: ['pointer', 'uint64', 'buffer'], return: 'void' },
    CGEventSetFlags: { arguments: ['pointer', 'uint64'], return: 'void' },
    CGEventSetIntegerValueField: { arguments: ['pointer', 'uint32', 'int64'], return: 'void' },
    CGEventPost: { arguments: ['uint32', 'pointer'], return: 'void' },
    CGEventSourceCreate: { arguments: ['int32'], return: 'pointer' },
    CGEventSourceSecondsSinceLastEventType: { arguments: ['int32', 'uint32'], return: 'double' },
    // The position is a CGPoint.
    CGEventCreateMouseEvent: { arguments: ['pointer', 'uint32', 'double', 'double', 'uint32'], return: 'pointer' },
    // Not `CGEventCreateScrollWheelEvent`, whose arguments are variable: Apple's ARM passes those differently.
    CGEventCreateScrollWheelEvent2: {
      arguments: ['pointer', 'uint32', 'uint32', 'int32', 'int32', 'int32'],
      return: 'pointer',
    },
    CGWarpMouseCursorPosition: { arguments: ['double', 'double'], return: 'int32' },
    CGGetDisplaysWithPoint: { arguments: ['double', 'double', 'uint32', 'buffer', 'buffer'], return: 'int32' },
    CGMainDisplayID: { arguments: [], return: 'uint32' },
    CGDisplayPixelsWide: { arguments: ['uint32'], return: 'uint64' },
    CGDisplayPixelsHigh: { arguments: ['uint32'], return: 'uint64' },
    CGDisplayCopyDisplayMode: { arguments: ['uint32'], return: 'pointer' },
    CGDisplayModeGetPixelWidth: { arguments: ['pointer'], return: 'uint64' },
    CGDisplayModeGetPixelHeight: { arguments: ['pointer'], return: 'uint64' },
    CGWindowListCopyWindowInfo: { arguments: ['uint32', 'uint32'], return: 'pointer' },
  });

const loadCarbon = (path: string) =>
  getFfi().dlopen(path, {
    TISCopyCurrentKeyboardLayoutInputSource: { arguments: [], return: 'pointer' },
    TISCopyCurrentASCIICapableKeyboardLayoutInputSource: { arguments: [], return: 'pointer' },
    TISGetInputSourceProperty: { arguments: ['pointer', 'pointer'], return: 'pointer' },
    LMGetKbdType: { arguments: [], return: 'uint8' },
    UCKeyTranslate: {
      arguments: ['pointer', 'uint16', 'uint16', 'uint32', 'uint32', 'uint32', 'buffer', 'uint64', 'buffer', 'buffer'],
      return: 'int32',
    },
    GetApplicationEventTarget: { arguments: [], return: 'pointer' },
    GetEventDispatcherTarget: { arguments: [], return: 'pointer' },
    InstallEventHandler: {
      arguments: ['pointer', 'pointer', 'uint64', 'buffer', 'pointer', 'buffer'],
      return: 'int32',
    },
    RemoveEventHandler: { arguments: ['pointer'], return: 'int32' },
    // The third argument is an EventHotKeyID.
    RegisterEventHotKey: {
      arguments: ['uint32', 'uint32', 'uint64', 'pointer', 'uint32', 'buffer'],
      return: 'int32',
    },
    UnregisterEventHotKey: { arguments: ['pointer'], return: 'int32' },
    GetEventKind: { arguments: ['pointer'], return: 'uint32' },
    GetEventParameter: {
      arguments: ['pointer', 'uint32', 'uint32', 'pointer', 'uint64', 'pointer', 'buffer'],
      return: 'int32',
    },
    ReceiveNextEvent: { arguments: ['uint64', 'pointer', 'double', 'uint8', 'buffer'], return: 'int32' },
    SendEventToEventTarget: { arguments: ['pointer', 'pointer'], return: 'int32' },
    ReleaseEvent: { arguments: ['pointer'], return: 'void' },
    IsSecureEventInputEnabled: { arguments: [], return: 'uint8' },
  });

const loadAudio = (path: string) =>
  getFfi().dlopen(path, {
    AudioObjectHasProperty: { arguments: ['uint32', 'buffer'], return: 'uint8' },
    AudioObjectIsPropertySettable: { arguments: ['uint32', 'buffer', 'buffer'], return: 'int32' },
    AudioObjectGetPropertyDataSize: {
      arguments: ['uint32', 'buffer', 'uint32', 'pointer', 'buffer'],
      return: 'int32',
    },
    AudioObjectGetPropertyData: {
      arguments: ['uint32', 'buffer', 'uint32', 'pointer', 'buffer', 'buffer'],
      return: 'int32',
    },
    AudioObjectSetPropertyData: {
      arguments: ['uint32', 'buffer', 'uint32', 'pointer', 'uint32', 'buffer'],
      return: 'int32',
    },
  });

const loadSystem = (path: string) =>
  getFfi().dlopen(path, {
    proc_pidpath: { arguments: ['int32', 'buffer', 'uint32'], return: 'int32' },
    proc_pidinfo: { arguments: ['int32', 'int32', 'uint64', 'buffer', 'int32'], return: 'int32' },
  });

/** Old functions that Apple may remove. Each has a less exact fallback. */
function loadOptional(path: string) {
  try {
    return getFfi().dlopen(path, {
      HIGetMousePosition: { arguments: ['uint32', 'pointer', 'buffer'], return: 'pointer' },
      GetFrontProcess: { arguments: ['buffer'], return: 'int32' },
      GetProcessPID: { arguments: ['buffer', 'buffer'], return: 'int32' },
    }).functions;
  } catch {
    return undefined;
  }
}

/** `objc_msgSend`, once for each signature: a library has one signature for each symbol. */
function loadObjectiveC({ objectiveC, appKit }: MacLibraryPaths) {
  const ffi = getFfi();
  ffi.dlopen(appKit, {}); // defines NSEvent
  const { functions } = ffi.dlopen(objectiveC, {
    objc_getClass: { arguments: ['string'], return: 'pointer' },
    sel_registerName: { arguments: ['string'], return: 'pointer' },
    objc_autoreleasePoolPush: { arguments: [], return: 'pointer' },
    objc_autoreleasePoolPop: { arguments: ['pointer'], return: 'void' },
    objc_msgSend: { arguments: ['pointer', 'pointer'], return: 'pointer' },
  });
  const createEvent = ffi.dlopen(objectiveC, {
    objc_msgSend: {
      arguments: [
        'pointer',
        'pointer',
        'uint64',
        'double',
        'double',
        'uint64',
        'double',
        'int64',
        'pointer',
        'int16',
        'int64',
        'int64',
      ],
      return: 'pointer',
    },
  }).functions.objc_msgSend;
  return { ...functions, sendCreateEvent: createEvent };
}

export type MacFrameworks = ReturnType<typeof loadFrameworks>;

/**
 * Opens the system's libraries.
 * @throws Refusal if this Node is too old, or this macOS lacks a function.
 */
export function openFrameworks(paths: MacLibraryPaths = MAC_LIBRARY_PATHS): MacFrameworks {
  getFfi();
  try {
    return loadFrameworks(paths);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal('device.unsupported_desktop', `The agent can't use this version of macOS: ${problem}`, { cause });
  }
}

function loadFrameworks(paths: MacLibraryPaths) {
  const ffi = getFfi();
  const foundation = loadFoundation(paths.coreFoundation);
  const graphics = loadGraphics(paths.applicationServices);
  const carbon = loadCarbon(paths.carbon);
  let objectiveC: ReturnType<typeof loadObjectiveC> | undefined;
  /** Reads a constant of a library that is a pointer. */
  const readConstant = (library: typeof foundation.lib, name: string): bigint =>
    ffi.getUint64(library.getSymbol(name), 0);
  return {
    foundation: foundation.functions,
    permissions: loadPermissions(paths.applicationServices).functions,
    graphics: graphics.functions,
    carbon: carbon.functions,
    optional: loadOptional(paths.carbon),
    audio: loadAudio(paths.coreAudio).functions,
    system: loadSystem(paths.system).functions,
    /** Only media keys need it, and AppKit takes memory. */
    getObjectiveC: () => (objectiveC ??= loadObjectiveC(paths)),
    defaultRunLoopMode: readConstant(foundation.lib, 'kCFRunLoopDefaultMode'),
    /** Keys of the dictionary that describes a window. */
    windowKeys: {
      number: readConstant(graphics.lib, 'kCGWindowNumber'),
      pid: readConstant(graphics.lib, 'kCGWindowOwnerPID'),
      layer: readConstant(graphics.lib, 'kCGWindowLayer'),
      alpha: readConstant(graphics.lib, 'kCGWindowAlpha'),
      owner: readConstant(graphics.lib, 'kCGWindowOwnerName'),
    },
    windowTitleKey: readConstant(graphics.lib, 'kCGWindowName'),
    layoutDataProperty: readConstant(carbon.lib, 'kTISPropertyUnicodeKeyLayoutData'),
    /** Creates a function that native code can call, on the main thread only. */
    createEventHandler: (handle: (event: bigint) => number) => {
      const pointer = carbon.lib.registerCallback(
        { arguments: ['pointer', 'pointer', 'pointer'], return: 'int32' },
        (_next, event) => handle(event as bigint),
      );
      return { pointer, remove: () => carbon.lib.unregisterCallback(pointer) };
    },
  };
}
