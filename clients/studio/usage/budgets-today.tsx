/** How much of the day's budget is spent. */
import { Progress, Text } from '@mantine/core';
import { useFormats } from '../../kit/use-formats.ts';
import type { Budgets } from '../../sdk/index.ts';
import { Facts } from '../parts/facts.tsx';
import { useTexts } from '../texts/index.ts';

export function BudgetsToday({ budgets }: { readonly budgets: Budgets }) {
  const texts = useTexts().usage.today;
  const formats = useFormats();
  const { perProjectDayMicros, today } = budgets;
  const { spentMicros, leftMicros, exceededRuns } = today;
  const share = perProjectDayMicros === null ? 0 : spentMicros / Math.max(1, perProjectDayMicros);
  return (
    <section aria-label={texts.title}>
      <Text size="sm" fw={600} mb={8}>
        {texts.title}
      </Text>
      <Facts
        facts={[
          [texts.spent, formats.cost(spentMicros)],
          [texts.left, leftMicros === null ? texts.unlimited : formats.cost(leftMicros)],
          [texts.ended, formats.number(exceededRuns)],
        ]}
      />
      {perProjectDayMicros !== null && (
        <Progress
          mt={10}
          value={Math.min(1, share) * 100}
          color={share >= 1 ? 'red' : share >= 0.8 ? 'yellow' : 'brand'}
          aria-label={texts.share(formats.percent(Math.min(1, share)))}
        />
      )}
    </section>
  );
}
