/** The start of a file of text, as text: nothing of it is a page, a link or a script. */
import { Anchor, Modal, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useFormats } from '../../kit/use-formats.ts';
import { useTexts } from '../texts/index.ts';
import { readTextFile, shownBytes } from './text-file.ts';
import classes from './lightbox.module.css';

interface TextPreviewProps {
  readonly attachmentId: string;
  readonly name: string;
  /** The file's address of now. */
  readonly url: string;
  readonly onClose: () => void;
}

export default function TextPreview({ attachmentId, name, url, onClose }: TextPreviewProps) {
  const texts = useTexts().thread.files;
  const formats = useFormats();
  const { close } = useKitTexts().shell;
  const { data: file, isError } = useQuery({
    queryKey: ['text-file', attachmentId],
    queryFn: ({ signal }) => readTextFile(url, signal),
    staleTime: Infinity,
    gcTime: 0,
    retry: 1,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={<bdi>{name}</bdi>}
      closeButtonProps={{ 'aria-label': close }}
    >
      {isError && <Text role="alert">{texts.unavailable}</Text>}
      {file === undefined && !isError && <Skeleton h={160} />}
      {file !== undefined && (
        <pre className={classes['file']} dir="auto" tabIndex={0} aria-label={name}>
          {file.text}
        </pre>
      )}
      {file?.text === '' && <Text c="dimmed">{texts.empty}</Text>}
      {file?.isCut === true && <Text c="dimmed">{texts.cut(formats.size(shownBytes))}</Text>}
      <Anchor href={url} download={name} target="_blank" rel="noopener noreferrer" size="sm">
        {texts.download(name)}
      </Anchor>
    </Modal>
  );
}
