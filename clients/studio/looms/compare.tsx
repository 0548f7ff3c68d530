/** All of a version as text, or what has changed between two. */
import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { lazyPart } from '../../kit/lazy-part.ts';
import type { LoomVersion } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { toFields, toText, type VersionFields } from './version-fields.ts';
import { useTools } from './version-form.tsx';

const CodeEditor = lazyPart(() => import('../editor/code-editor.tsx'));
const TextDiff = lazyPart(() => import('../editor/text-diff.tsx'));

interface CompareProps {
  readonly before?: LoomVersion | undefined;
  /** A version, or one that is being written. */
  readonly after: LoomVersion | VersionFields;
}

const isStored = (version: LoomVersion | VersionFields): version is LoomVersion => 'loomVersionId' in version;

export function Compare({ before, after }: CompareProps) {
  const texts = useTexts().looms;
  const { data: tools } = useTools();
  const nameTool = (toolId: string): string => tools?.find(each => each.toolId === toolId)?.name ?? toolId;
  const write = (version: LoomVersion | VersionFields): string =>
    toText(isStored(version) ? toFields(version) : version, texts.fields, nameTool);
  const afterLabel = isStored(after) ? texts.numbered(after.version) : texts.nextVersion;
  const text = write(after);
  return (
    <Suspense fallback={<Skeleton h={200} />}>
      {before === undefined ? (
        <CodeEditor
          // Anew where a tool's name has come.
          key={text}
          label={afterLabel}
          language="markdown"
          initial={text}
          isReadOnly
          onChange={() => undefined}
        />
      ) : (
        <TextDiff
          before={write(before)}
          after={text}
          beforeLabel={texts.numbered(before.version)}
          afterLabel={afterLabel}
        />
      )}
    </Suspense>
  );
}
