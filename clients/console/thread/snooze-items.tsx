/** Items of a menu: until when threads are put off. What is chosen oneself is asked for in a dialog, which outlives the menu. */
import { Menu } from '@mantine/core';
import { Suspense, useState, type ReactNode } from 'react';
import { lazyPart } from '../../kit/lazy-part.ts';
import { useTimeZone } from '../../kit/people/use-profile.ts';
import { useTexts } from '../texts/index.ts';
import { listSnoozes } from './snoozes.ts';

const SnoozeDialog = lazyPart(() => import('./snooze-dialog.tsx'));

interface SnoozeItemsProps {
  readonly onChosen: (until: Date) => void;
  /** Asks for a time of one's own. */
  readonly onOwn: () => void;
}

/** Rendered when the menu opens. The times to choose from count from that moment. */
export function SnoozeItems({ onChosen, onOwn }: SnoozeItemsProps) {
  const texts = useTexts().thread.header;
  const timeZone = useTimeZone();
  const [openedAt] = useState(() => new Date());
  return (
    <>
      <Menu.Label>{texts.snooze}</Menu.Label>
      {listSnoozes(openedAt, timeZone).map(({ name, until }) => (
        <Menu.Item key={name} onClick={() => onChosen(until)}>
          {texts.snoozeFor[name]}
        </Menu.Item>
      ))}
      <Menu.Item onClick={onOwn}>{texts.snoozeOwn}</Menu.Item>
    </>
  );
}

/** The dialog beside a menu, and what opens it. */
export function useSnoozeDialog(onChosen: (until: Date) => void): {
  readonly dialog: ReactNode;
  readonly open: () => void;
} {
  const [isOpen, setOpen] = useState(false);
  const dialog = isOpen && (
    <Suspense>
      <SnoozeDialog
        onChosen={until => {
          setOpen(false);
          onChosen(until);
        }}
        onClose={() => setOpen(false)}
      />
    </Suspense>
  );
  return { dialog, open: () => setOpen(true) };
}
