/**
 * The files of a message. Pictures open in a viewer, audio and video play in place, text is read as text, and everything is a download: what a
 * participant sends is never opened as a page of this site. Addresses are asked for when they are shown, and are good for five minutes.
 */
import { ActionIcon, Tooltip, UnstyledButton } from '@mantine/core';
import { Eye, FileText } from 'lucide-react';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../kit/lazy-part.ts';
import { toShownName } from '../../kit/shown-name.ts';
import type { MessageAttachment } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { useFormats } from '../../kit/use-formats.ts';
import { Player } from './player.tsx';
import { isTextFile } from './text-file.ts';
import { useFileUrl } from './use-file-url.ts';
import classes from './bubble.module.css';

const Lightbox = lazyPart(() => import('./lightbox.tsx'));
const TextPreview = lazyPart(() => import('./text-preview.tsx'));

interface FilesProps {
  readonly files: readonly MessageAttachment[];
  readonly isVoice: boolean;
}

const isPicture = ({ kind, status }: MessageAttachment): boolean =>
  (kind === 'image' || kind === 'sticker') && status !== 'pending' && status !== 'failed';

export function Files({ files, isVoice }: FilesProps) {
  const pictures = files.filter(isPicture);
  const [viewed, setViewed] = useState<number>();
  return (
    <div className={classes['files']}>
      {files.map((file, index) => (
        <File
          key={file.attachmentId ?? index}
          file={file}
          isVoice={isVoice}
          onView={() => setViewed(pictures.indexOf(file))}
        />
      ))}
      {viewed !== undefined && (
        <Suspense>
          <Lightbox
            pictures={pictures}
            index={viewed}
            onIndex={setViewed}
            onClose={() => setViewed(undefined)}
          />
        </Suspense>
      )}
    </div>
  );
}

interface FileProps {
  readonly file: MessageAttachment;
  readonly isVoice: boolean;
  readonly onView: () => void;
}

function File({ file, isVoice, onView }: FileProps) {
  const texts = useTexts().thread.files;
  const [isBroken, setBroken] = useState(false);
  const isPlayable = file.kind === 'audio' || file.kind === 'video';
  const isLink = file.kind === 'document' || (isPlayable && isBroken);
  // What is being shown keeps its address: another one would load and play it anew. A link needs one that is good when it is clicked.
  const { data: url, isError, refetch } = useFileUrl(file, { isKeptFresh: isLink });
  const name = toShownName(file.filename ?? (isVoice ? texts.voice : texts.kinds[file.kind]));
  if (file.status === 'failed')
    return <div className={classes['waitingFile']}>{texts.failed(file.reason ?? texts.unavailable)}</div>;
  if (file.status === 'pending')
    return (
      <div className={classes['waitingFile']}>
        {name}: {texts.pending}
      </div>
    );
  if (isError || (isBroken && !isPlayable) || file.attachmentId === undefined)
    return (
      <div className={classes['waitingFile']}>
        {name}: {texts.unavailable}
      </div>
    );
  if (isBroken)
    return (
      <div className={classes['unplayable']}>
        <Document file={file} url={url} name={name} />
        <span role="status">{texts.unplayable}</span>
      </div>
    );
  const onBroken = (): void => setBroken(true);
  switch (file.kind) {
    case 'image':
    case 'sticker':
      return <Picture url={url} name={name} kind={file.kind} onBroken={onBroken} onView={onView} />;
    case 'audio':
    case 'video':
      return (
        <Player
          kind={file.kind}
          url={url}
          name={name}
          onBroken={onBroken}
          renew={async () => (await refetch()).data}
        />
      );
    case 'document':
      return isTextFile(file) ? (
        <ReadableDocument file={file} attachmentId={file.attachmentId} url={url} name={name} />
      ) : (
        <Document file={file} url={url} name={name} />
      );
  }
}

interface PictureProps {
  readonly url: string | undefined;
  readonly name: string;
  readonly kind: 'image' | 'sticker';
  readonly onBroken: () => void;
  readonly onView: () => void;
}

function Picture({ url, name, kind, onBroken, onView }: PictureProps) {
  const texts = useTexts().thread.files;
  return (
    <UnstyledButton
      className={classes['thumbnail']}
      data-kind={kind}
      aria-label={texts.open(name)}
      onClick={onView}
    >
      <img src={url} alt="" width={220} height={160} decoding="async" onError={onBroken} />
    </UnstyledButton>
  );
}

interface DocumentProps {
  readonly file: MessageAttachment;
  readonly url: string | undefined;
  readonly name: string;
}

function Document({ file, url, name }: DocumentProps) {
  const texts = useTexts().thread.files;
  const formats = useFormats();
  return (
    <a
      className={classes['document']}
      href={url}
      download={name}
      target="_blank"
      rel="noopener noreferrer"
      title={texts.download(name)}
    >
      <FileText size={18} aria-hidden />
      <span>
        <bdi>{name}</bdi>
        {file.sizeBytes !== undefined && (
          <div className={classes['meta']}>{formats.size(file.sizeBytes)}</div>
        )}
      </span>
    </a>
  );
}

function ReadableDocument(props: DocumentProps & { readonly attachmentId: string }) {
  const { attachmentId, url, name } = props;
  const texts = useTexts().thread.files;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={classes['readable']}>
      <Document {...props} />
      <Tooltip label={texts.read}>
        <ActionIcon variant="default" aria-label={texts.open(name)} onClick={() => setOpen(true)}>
          <Eye size={15} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {isOpen && url !== undefined && (
        <Suspense>
          <TextPreview attachmentId={attachmentId} name={name} url={url} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}
