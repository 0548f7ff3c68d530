/** The files of a message. Their addresses are asked for when they are shown, and are good for five minutes. */
import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { FileText } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { MessageAttachment } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { useClient } from './conversations-context.tsx';
import { useFormats } from './names.tsx';
import classes from './bubble.module.css';

const Lightbox = lazy(() => import('./lightbox.tsx'));

/** A little less than an address is good for. */
const addressLastsMs = 240_000;

function useFileUrl({ attachmentId, status }: MessageAttachment) {
  const client = useClient();
  return useQuery({
    queryKey: ['file', attachmentId],
    queryFn: async () => (await client.attachments.getUrl(attachmentId ?? '')).url,
    enabled: attachmentId !== undefined && status !== 'pending' && status !== 'failed',
    staleTime: addressLastsMs,
    refetchInterval: addressLastsMs,
  });
}

interface FilesProps {
  readonly files: readonly MessageAttachment[];
  readonly isVoice: boolean;
}

export function Files({ files, isVoice }: FilesProps) {
  return (
    <div className={classes['files']}>
      {files.map((file, index) => (
        <File key={file.attachmentId ?? index} file={file} isVoice={isVoice} />
      ))}
    </div>
  );
}

function File({ file, isVoice }: { readonly file: MessageAttachment; readonly isVoice: boolean }) {
  const texts = useTexts().thread.files;
  const { data: url, isError } = useFileUrl(file);
  const [isBroken, setBroken] = useState(false);
  const name = file.filename ?? (isVoice ? texts.voice : texts.kinds[file.kind]);
  if (file.status === 'failed')
    return <div className={classes['waitingFile']}>{texts.failed(file.reason ?? texts.unavailable)}</div>;
  if (file.status === 'pending')
    return (
      <div className={classes['waitingFile']}>
        {name}: {texts.pending}
      </div>
    );
  if (isError || isBroken || file.attachmentId === undefined)
    return (
      <div className={classes['waitingFile']}>
        {name}: {texts.unavailable}
      </div>
    );
  const onError = (): void => setBroken(true);
  switch (file.kind) {
    case 'image':
    case 'sticker':
      return <Picture url={url} name={name} kind={file.kind} onError={onError} />;
    case 'audio':
      return <audio className={classes['player']} controls preload="none" src={url} aria-label={name} />;
    case 'video':
      return (
        <video
          className={classes['player']}
          controls
          preload="none"
          src={url}
          aria-label={name}
          onError={onError}
        />
      );
    case 'document':
      return <Document file={file} url={url} name={name} />;
  }
}

interface PictureProps {
  readonly url: string | undefined;
  readonly name: string;
  readonly kind: 'image' | 'sticker';
  readonly onError: () => void;
}

function Picture({ url, name, kind, onError }: PictureProps) {
  const texts = useTexts().thread.files;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <UnstyledButton
        className={classes['thumbnail']}
        data-kind={kind}
        aria-label={texts.open(name)}
        onClick={() => setOpen(true)}
      >
        <img src={url} alt="" width={220} height={160} decoding="async" onError={onError} />
      </UnstyledButton>
      {isOpen && url !== undefined && (
        <Suspense>
          <Lightbox url={url} name={name} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
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
      title={name}
      aria-label={texts.download(name)}
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
