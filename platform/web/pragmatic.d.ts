// The package exports folders, which bundlers resolve and Node does not.
declare module '@atlaskit/pragmatic-drag-and-drop/element/set-custom-native-drag-preview' {
  export { setCustomNativeDragPreview } from '@atlaskit/pragmatic-drag-and-drop/dist/types/entry-point/element/set-custom-native-drag-preview.js';
}

// The package exports folders, which bundlers resolve and Node does not.
declare module '@atlaskit/pragmatic-drag-and-drop/element/adapter' {
  export {
    draggable,
    dropTargetForElements,
    monitorForElements,
  } from '@atlaskit/pragmatic-drag-and-drop/dist/types/entry-point/element/adapter.js';
}
