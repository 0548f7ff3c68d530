/** A picture as large as the window. */
import { Anchor, Modal } from '@mantine/core';
import { useTexts } from '../texts/index.ts';
import classes from './lightbox.module.css';

interface LightboxProps {
  readonly url: string;
  readonly name: string;
  readonly onClose: () => void;
}

export default function Lightbox({ url, name, onClose }: LightboxProps) {
  const texts = useTexts().thread.files;
  return (
    <Modal
      opened
      onClose={onClose}
      size="auto"
      title={<bdi>{name}</bdi>}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      <img className={classes['picture']} src={url} alt={name} />
      <Anchor href={url} download={name} target="_blank" rel="noopener noreferrer" size="sm">
        {texts.download(name)}
      </Anchor>
    </Modal>
  );
}
