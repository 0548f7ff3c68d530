/** Makes a tool, and shows the secret of its signatures once. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { CreatedTool } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Secret } from '../parts/secret.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { emptyTool, toToolBody } from './tool-fields.ts';
import { ToolForm } from './tool-form.tsx';

export function CreateTool({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts().tools;
  const { close } = useKitTexts().shell;
  const { client, projectId, environmentId } = useTenant();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [fields, setFields] = useState(emptyTool);
  const [created, setCreated] = useState<CreatedTool>();
  const { isRunning, error, submit } = useSubmit(async () => {
    setCreated(await client.tools.create(toToolBody(fields)));
    await queries.invalidateQueries({ queryKey: ['tools', environmentId] });
  });
  const params = { projectId, environmentId, toolId: created?.toolId ?? '' };
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      closeOnClickOutside={false}
      title={created === undefined ? texts.create : created.name}
      closeButtonProps={{ 'aria-label': close }}
    >
      {created === undefined ? (
        <form onSubmit={submit}>
          <Stack gap="md">
            <ToolForm fields={fields} onChange={setFields} />
            {error !== undefined && <ErrorNote error={error} />}
            <Group justify="flex-end">
              <Button
                type="submit"
                loading={isRunning}
                disabled={fields.name.trim() === '' || fields.url.trim() === ''}
              >
                {texts.create}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack gap="md">
          <Secret about={texts.secretOnce} secret={created.signingSecret} />
          <Group justify="flex-end">
            <Button onClick={() => void navigate({ to: '/$projectId/$environmentId/tools/$toolId', params })}>
              {texts.toTool}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
