/** The dialog that a palette stands in: near the top, over whatever is shown. */
import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './palette.module.css';

interface PaletteFrameProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function PaletteFrame({ title, onClose, children }: PaletteFrameProps) {
  return (
    <Modal.Root
      opened
      onClose={onClose}
      size={620}
      yOffset="10vh"
      xOffset={8}
      classNames={{ content: classes['dialog'] }}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={title}>{children}</Modal.Content>
    </Modal.Root>
  );
}
