/** The next version, written from the one in use, and compared with it before it is published. */
import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Loom, LoomVersion } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Section } from '../parts/page.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useUnsaved } from '../parts/use-unsaved.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { Compare } from './compare.tsx';
import { ReasonField } from './history.tsx';
import { toBody, toFields } from './version-fields.ts';
import { VersionForm } from './version-form.tsx';

interface NextVersionProps {
  readonly loom: Loom;
  /** What it is written from. */
  readonly begun: LoomVersion;
  /** The one in use: what it is compared with, and would take the place of. */
  readonly active: LoomVersion;
  readonly onDone: () => void;
}

export function NextVersion({ loom: { loomId }, begun, active, onDone }: NextVersionProps) {
  const texts = useTexts().looms;
  const { client, environmentId } = useTenant();
  const queries = useQueryClient();
  const [first] = useState(() => toFields(begun));
  const [fields, setFields] = useState(first);
  const [isComparing, setComparing] = useState(false);
  const [activates, setActivates] = useState(true);
  const [reason, setReason] = useState('');
  const { isRunning, error, submit } = useSubmit(async () => {
    const given = activates && reason.trim() !== '' ? { reason: reason.trim() } : {};
    await client.looms.createVersion(loomId, { ...toBody(fields), activate: activates, ...given });
    await queries.invalidateQueries({ queryKey: ['looms', environmentId, loomId] });
    await queries.invalidateQueries({ queryKey: ['loom-versions', loomId] });
    await queries.invalidateQueries({ queryKey: ['loom-activations', loomId] });
    onDone();
  });
  useUnsaved(fields !== first && !isRunning);
  return (
    <form onSubmit={submit}>
      <Section title={isComparing ? texts.compare(active.version) : texts.nextVersion}>
        <Stack gap="md">
          {isComparing ? (
            <>
              <Compare before={active} after={fields} />
              <Checkbox
                label={texts.activates}
                checked={activates}
                onChange={event => setActivates(event.currentTarget.checked)}
              />
              {activates && <ReasonField value={reason} onChange={setReason} />}
            </>
          ) : (
            <VersionForm fields={fields} onChange={setFields} />
          )}
          {error !== undefined && <ErrorNote error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={isComparing ? () => setComparing(false) : onDone}>
              {isComparing ? texts.writeOn : texts.cancel}
            </Button>
            {isComparing ? (
              // Another button than that below, or the click that shows it would publish as well.
              <Button key="publish" type="submit" loading={isRunning}>
                {texts.publish}
              </Button>
            ) : (
              <Button
                key="review"
                disabled={fields.systemPrompt.trim() === '' || fields.model.trim() === ''}
                onClick={() => setComparing(true)}
              >
                {texts.review}
              </Button>
            )}
          </Group>
        </Stack>
      </Section>
    </form>
  );
}
