/** The rail of a phone, which comes from the side. */
import { Drawer } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { QueueName } from '../live/queues.ts';
import { useTexts } from '../texts/index.ts';
import { Rail } from './rail.tsx';
import classes from './workplace.module.css';

interface RailDrawerProps {
  readonly queue: QueueName | 'mentions';
  readonly opened: boolean;
  readonly onClose: () => void;
}

export default function RailDrawer({ queue, opened, onClose }: RailDrawerProps) {
  const texts = useTexts().shell;
  const { close } = useKitTexts().shell;
  // It gives the focus back only where it was seen to open.
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setThere(true));
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <Drawer
      opened={opened && isThere}
      onClose={onClose}
      position="left"
      size={240}
      title={texts.queuesLabel}
      closeButtonProps={{ 'aria-label': close }}
      classNames={{
        content: classes['drawer'],
        header: classes['drawerHead'],
        body: classes['drawerBody'],
      }}
    >
      <Rail queue={queue} onChosen={onClose} />
    </Drawer>
  );
}
