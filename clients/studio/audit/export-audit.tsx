/** What the filters find, as a file: a JSON object a line. */
import { Button } from '@mantine/core';
import { Download } from 'lucide-react';
import { skein } from '../../kit/browser-session.ts';
import { useAction } from '../../kit/use-action.ts';
import type { ExportAuditLogsQuery } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { linesType, saveFile } from '../parts/save-file.ts';
import { useTexts } from '../texts/index.ts';

export function ExportAudit({ query }: { readonly query: ExportAuditLogsQuery }) {
  const texts = useTexts().audit;
  const { isRunning, error, run } = useAction();
  const save = async (): Promise<void> => {
    // The server ends what takes it longer than five minutes.
    const lines = await skein.auditLogs.export(query, { timeoutMs: Infinity });
    saveFile('audit-log.ndjson', linesType, [lines]);
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<Download size={14} />}
        loading={isRunning}
        onClick={() => void run(save)}
      >
        {texts.export}
      </Button>
      <ErrorNote error={error} />
    </>
  );
}
