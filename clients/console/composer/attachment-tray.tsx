/** The files that will go with what is written, and how far they are. */
import { ActionIcon } from '@mantine/core';
import { RotateCw, X } from 'lucide-react';
import { useTexts } from '../texts/index.ts';
import { useFormats } from '../thread/names.tsx';
import type { Upload } from './uploads.ts';
import classes from './composer.module.css';

interface AttachmentTrayProps {
  readonly uploads: readonly Upload[];
  readonly onRemove: (id: string) => void;
  readonly onRetry: (upload: Upload) => void;
}

export function AttachmentTray({ uploads, onRemove, onRetry }: AttachmentTrayProps) {
  const texts = useTexts().thread.composer;
  const formats = useFormats();
  if (uploads.length === 0) return null;
  return (
    <ul className={classes['tray']}>
      {uploads.map(upload => {
        const { id, file, state, progress, problem } = upload;
        return (
          <li key={id} data-state={state} title={file.name}>
            <span>
              <bdi>{file.name}</bdi>
            </span>
            <small>
              {state === 'failed' ? `${texts.uploadFailed}: ${problem ?? ''}` : formats.size(file.size)}
            </small>
            {state === 'uploading' && (
              <progress
                value={progress}
                max={1}
                aria-label={texts.uploading(file.name, `${Math.round(progress * 100)} %`)}
              />
            )}
            {state === 'failed' && (
              <ActionIcon
                size="xs"
                aria-label={texts.uploadAgain(file.name)}
                title={texts.uploadAgain(file.name)}
                onClick={() => onRetry(upload)}
              >
                <RotateCw size={12} />
              </ActionIcon>
            )}
            <ActionIcon size="xs" aria-label={texts.removeFile(file.name)} onClick={() => onRemove(id)}>
              <X size={12} />
            </ActionIcon>
          </li>
        );
      })}
    </ul>
  );
}
