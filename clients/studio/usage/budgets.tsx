/** How much agents may cost, and what becomes of them beyond it. */
import { Button, Group, NumberInput, Radio, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { Budgets as BudgetsOfEnvironment, SetBudgetsBody } from '../../sdk/index.ts';
import { getChangedFields } from '../parts/changed-fields.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useUnsaved } from '../parts/use-unsaved.ts';
import { useWriting } from '../parts/use-writing.ts';
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
      <BudgetsForm key={environmentId} budgets={budgets} />
      <BudgetsToday budgets={budgets} />
    </Group>
  );
}

function BudgetsForm({ budgets }: { readonly budgets: BudgetsOfEnvironment }) {
  const texts = useTexts().usage.budgets;
  const { client, environmentId, maySetBudgets } = useTenant();
  const queries = useQueryClient();
  const { begun, written, isWritten, change, save } = useWriting(toBudgetFields(budgets), budgets.updatedAt);
  const { isRunning, error, submit } = useSubmit(async () => {
    // All of them are set at once: what was not written here stays as it is by now, perhaps a colleague's.
    const now = await client.budgets.get();
    const changes = getChangedFields(begun, written);
    const saved = await client.budgets.set(toBody({ ...toBudgetFields(now), ...changes }));
    save(toBudgetFields(saved), saved.updatedAt);
    queries.setQueryData(['budgets', environmentId], saved);
  });
  useUnsaved(isWritten && !isRunning);
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
                value={written[name]}
                onChange={value => change({ [name]: value })}
              />
            ))}
          </Group>
          <Radio.Group
            label={texts.onExceeded}
            value={written.onExceeded}
            onChange={value => change({ onExceeded: value === 'paused' ? 'paused' : 'suggest' })}
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

/** As the form holds them: in dollars, and empty where there is no limit. */
type BudgetFields = Readonly<Record<(typeof names)[number], number | string>> &
  Pick<BudgetsOfEnvironment, 'onExceeded'>;

const toBudgetFields = (budgets: BudgetsOfEnvironment): BudgetFields => ({
  perRunMicros: toDollars(budgets.perRunMicros),
  perThreadMicros: toDollars(budgets.perThreadMicros),
  perProjectDayMicros: toDollars(budgets.perProjectDayMicros),
  onExceeded: budgets.onExceeded,
});

const toBody = (fields: BudgetFields): SetBudgetsBody => ({
  perRunMicros: toMicros(fields.perRunMicros),
  perThreadMicros: toMicros(fields.perThreadMicros),
  perProjectDayMicros: toMicros(fields.perProjectDayMicros),
  onExceeded: fields.onExceeded,
});

const toDollars = (value: number | null): number | string => (value === null ? '' : value / micros);

function toMicros(dollars: number | string): number | null {
  const value = Number.parseFloat(String(dollars));
  return Number.isFinite(value) ? Math.round(value * micros) : null;
}
