/** The files that will go with what is written, and how far they are. */
import { ActionIcon } from '@mantine/core';
import { RotateCw, X } from 'lucide-react';
import { toShownName } from '../../kit/shown-name.ts';
import { useTexts } from '../texts/index.ts';
import { useFormats } from '../../kit/use-formats.ts';
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
        const { id, size, state, progress, problem } = upload;
        const name = toShownName(upload.name);
        return (
          <li key={id} data-state={state} title={name}>
            <span>
              <bdi>{name}</bdi>
            </span>
            <small>
              {state === 'failed' ? `${texts.uploadFailed}: ${problem ?? ''}` : formats.size(size)}
            </small>
            {state === 'uploading' && (
              <progress
                value={progress}
                max={1}
                aria-label={texts.uploading(name, `${Math.round(progress * 100)} %`)}
              />
            )}
            {state === 'failed' && (
              <ActionIcon
                size="xs"
                aria-label={texts.uploadAgain(name)}
                title={texts.uploadAgain(name)}
                onClick={() => onRetry(upload)}
              >
                <RotateCw size={12} />
              </ActionIcon>
            )}
            <ActionIcon size="xs" aria-label={texts.removeFile(name)} onClick={() => onRemove(id)}>
              <X size={12} />
            </ActionIcon>
          </li>
        );
      })}
    </ul>
  );
}
