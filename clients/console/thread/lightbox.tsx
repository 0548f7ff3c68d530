/** A picture as large as the window, and the others of its message beside it. */
import { ActionIcon, Anchor, Group, Modal } from '@mantine/core';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { toShownName } from '../../kit/shown-name.ts';
import type { MessageAttachment } from '../../sdk/index.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useTexts } from '../texts/index.ts';
import { useFileUrl } from './use-file-url.ts';
import classes from './lightbox.module.css';

interface LightboxProps {
  readonly pictures: readonly MessageAttachment[];
  /** Of the one that is shown. */
  readonly index: number;
  readonly onIndex: (index: number) => void;
  readonly onClose: () => void;
}

export default function Lightbox({ pictures, index, onIndex, onClose }: LightboxProps) {
  const texts = useTexts().thread.files;
  const { close } = useKitTexts().shell;
  const picture = pictures[index];
  const name = toShownName(picture?.filename ?? texts.kinds.image);
  const go = (step: -1 | 1): void => {
    if (pictures[index + step] !== undefined) onIndex(index + step);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      size="auto"
      title={<bdi>{name}</bdi>}
      closeButtonProps={{ 'aria-label': close }}
      onKeyDown={event => {
        if (event.key === 'ArrowLeft') go(-1);
        if (event.key === 'ArrowRight') go(1);
      }}
    >
      {picture !== undefined && <Picture key={picture.attachmentId} picture={picture} name={name} />}
      {pictures.length > 1 && (
        <Group justify="center" gap={6} mt={8}>
          <ActionIcon aria-label={texts.previous} disabled={index === 0} onClick={() => go(-1)}>
            <ChevronLeft size={16} />
          </ActionIcon>
          <span>
            {index + 1} / {pictures.length}
          </span>
          <ActionIcon aria-label={texts.next} disabled={index === pictures.length - 1} onClick={() => go(1)}>
            <ChevronRight size={16} />
          </ActionIcon>
        </Group>
      )}
    </Modal>
  );
}

function Picture({ picture, name }: { readonly picture: MessageAttachment; readonly name: string }) {
  const texts = useTexts().thread.files;
  const { data: url } = useFileUrl(picture, { isKeptFresh: true });
  return (
    <>
      <img className={classes['picture']} src={url} alt={name} />
      <Anchor href={url} download={name} target="_blank" rel="noopener noreferrer" size="sm">
        {texts.download(name)}
      </Anchor>
    </>
  );
}
