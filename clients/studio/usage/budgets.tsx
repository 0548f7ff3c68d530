/** How much agents may cost, and what becomes of them beyond it. */
import { Button, Group, NumberInput, Radio, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { Budgets as BudgetsOfEnvironment } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { BudgetsToday } from './budgets-today.tsx';

const names = ['perRunMicros', 'perThreadMicros', 'perProjectDayMicros'] as const;
/** Of a dollar. */
const micros = 1_000_000;

export function Budgets() {
  const { loading } = useKitTexts().shell;
  const { client, environmentId } = useTenant();
  const { data: budgets, error } = useQuery({
    queryKey: ['budgets', environmentId],
    queryFn: () => client.budgets.get(),
  });
  if (error !== null) return <ErrorNote error={error} />;
  if (budgets === undefined) return loading;
  return (
    <Group align="flex-start" gap={48}>
      <BudgetsForm key={budgets.updatedAt} budgets={budgets} />
      <BudgetsToday budgets={budgets} />
    </Group>
  );
}

function BudgetsForm({ budgets }: { readonly budgets: BudgetsOfEnvironment }) {
  const texts = useTexts().usage.budgets;
  const { client, environmentId, maySetBudgets } = useTenant();
  const queries = useQueryClient();
  const [limits, setLimits] = useState(() =>
    Object.fromEntries(names.map(name => [name, toDollars(budgets[name])])),
  );
  const [onExceeded, setOnExceeded] = useState(budgets.onExceeded);
  const { isRunning, error, submit } = useSubmit(async () => {
    const [perRunMicros, perThreadMicros, perProjectDayMicros] = names.map(name => toMicros(limits[name]));
    const saved = await client.budgets.set({
      perRunMicros,
      perThreadMicros,
      perProjectDayMicros,
      onExceeded,
    });
    queries.setQueryData(['budgets', environmentId], saved);
  });
  return (
    <form onSubmit={submit}>
      <fieldset disabled={!maySetBudgets} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
        <Stack gap="md" maw={640}>
          <Group grow align="flex-end">
            {names.map(name => (
              <NumberInput
                key={name}
                label={texts.of[name]}
                placeholder={texts.unlimited}
                prefix="$ "
                min={0}
                decimalScale={6}
                value={limits[name] ?? ''}
                onChange={value => setLimits(before => ({ ...before, [name]: value }))}
              />
            ))}
          </Group>
          <Radio.Group
            label={texts.onExceeded}
            value={onExceeded}
            onChange={value => setOnExceeded(value === 'paused' ? 'paused' : 'suggest')}
          >
            <Stack gap={6} mt={6}>
              <Radio value="suggest" label={texts.exceeded.suggest} />
              <Radio value="paused" label={texts.exceeded.paused} />
            </Stack>
          </Radio.Group>
          {error !== undefined && <ErrorNote error={error} />}
          {maySetBudgets && (
            <Group>
              <Button type="submit" loading={isRunning}>
                {texts.save}
              </Button>
            </Group>
          )}
        </Stack>
      </fieldset>
    </form>
  );
}

const toDollars = (value: number | null): number | string => (value === null ? '' : value / micros);

function toMicros(dollars: number | string | undefined): number | null {
  const value = Number.parseFloat(String(dollars ?? ''));
  return Number.isFinite(value) ? Math.round(value * micros) : null;
}
