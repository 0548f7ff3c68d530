/** Which key sends what is written. Kept in this browser. */
import { useState } from 'react';

export type SendBy = 'enter' | 'modEnter';
const storageKey = 'skein-send-by';

export function useSendSetting(): readonly [SendBy, (sendBy: SendBy) => void] {
  const [sendBy, setSendBy] = useState<SendBy>(
    localStorage.getItem(storageKey) === 'modEnter' ? 'modEnter' : 'enter',
  );
  return [
    sendBy,
    chosen => {
      localStorage.setItem(storageKey, chosen);
      setSendBy(chosen);
    },
  ];
}
