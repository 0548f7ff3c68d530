/** Two texts side by side, with what differs; long stretches that do not are folded. */
import { useComputedColorScheme } from '@mantine/core';
import { MergeView } from '@codemirror/merge';
import { useEffect, useRef } from 'react';
import { createExtensions } from './setup.ts';

interface TextDiffProps {
  readonly before: string;
  readonly after: string;
  readonly beforeLabel: string;
  readonly afterLabel: string;
}

export default function TextDiff({ before, after, beforeLabel, afterLabel }: TextDiffProps) {
  const scheme = useComputedColorScheme();
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (host.current === null) return undefined;
    const shared = { language: 'markdown', isDark: scheme === 'dark', isReadOnly: true } as const;
    const view = new MergeView({
      parent: host.current,
      a: { doc: before, extensions: createExtensions({ ...shared, label: beforeLabel }) },
      b: { doc: after, extensions: createExtensions({ ...shared, label: afterLabel }) },
      collapseUnchanged: { margin: 3, minSize: 6 },
    });
    return () => view.destroy();
  }, [before, after, beforeLabel, afterLabel, scheme]);
  return <div ref={host} />;
}
