/** Which key sends what is written. Kept in this browser. */
import { useState } from 'react';
import { keepText } from '../../kit/keep-text.ts';

export type SendBy = 'enter' | 'modEnter';
const storageKey = 'skein-send-by';

export function useSendSetting(): readonly [SendBy, (sendBy: SendBy) => void] {
  const [sendBy, setSendBy] = useState<SendBy>(
    localStorage.getItem(storageKey) === 'modEnter' ? 'modEnter' : 'enter',
  );
  return [
    sendBy,
    chosen => {
      keepText(localStorage, storageKey, chosen);
      setSendBy(chosen);
    },
  ];
}
