/** The page as its reader sees it, or does not. */

/** Code points of a text in a notification. */
const longestText = 140;

/** The page is hidden, or its reader works in another window. */
export const isAway = (): boolean => document.hidden || !document.hasFocus();

export function showTitle(title: string, count: number): void {
  document.title = count === 0 ? title : `(${count}) ${title}`;
}

export interface ShownNotification {
  readonly title: string;
  readonly body: string;
  /** A later one with the same tag takes the place of an earlier one, in whichever tab. */
  readonly tag: string;
  readonly onOpened: () => void;
}

/** Of the browser, if its user allows it. */
export function showNotification({ title, body, tag, onOpened }: ShownNotification): void {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return;
  const points = Array.from(body);
  const cut = points.length > longestText ? `${points.slice(0, longestText - 1).join('')}…` : body;
  try {
    const shown = new Notification(title, { body: cut, tag, silent: true });
    shown.onclick = () => {
      window.focus();
      onOpened();
      shown.close();
    };
  } catch {
    // Phones show notifications of service workers alone.
  }
}
