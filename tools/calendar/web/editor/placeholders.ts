/** Of an id that no event has (specification 1, section 4): two blanks. The specification's own screens tell it from a name by an invisible one. */
export const NOT_ENTERED = 'event  not entered';
/** Of the id -1: nothing is selected. */
export const SELECT_ONE = 'select an event';
