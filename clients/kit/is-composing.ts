import type { KeyboardEvent } from 'react';

/** What browsers say of each key that an input method has taken. */
const takenByInputMethod = 229;

/**
 * Whether the key belongs to a character that is still being put together by an input method. In Safari the Enter that takes a candidate comes
 * after the end of the composition, and by its code alone it is told from one that sends (WebKit 165004).
 */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  const { isComposing: composes, keyCode } = nativeEvent as Pick<globalThis.KeyboardEvent, 'isComposing'> & {
    readonly keyCode: number;
  };
  return composes || keyCode === takenByInputMethod;
}
