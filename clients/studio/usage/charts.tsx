/** Messages, webhooks, tokens and cost by day. */
import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '../../kit/use-formats.ts';
import { dayMs } from '../parts/days.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import classes from './charts.module.css';
import { createCostAxis } from './cost-axis.ts';

/** As wide as its labels are. */
const axis = { width: 'auto' } as const;
const counts = { ...axis, allowDecimals: false } as const;

/** Every day has its place, also those on which nothing was used. */
export default function Charts({ from, days }: { readonly from: string; readonly days: number }) {
  const texts = useTexts().usage;
  const formats = useFormats();
  const { client, environmentId } = useTenant();
  const { data: usage } = useQuery({
    queryKey: ['usage', environmentId, 'charts', from],
    queryFn: () => client.usage.list({ groupBy: 'day', from, limit: 100 }).toArray(days),
  });
  if (usage === undefined || usage.length === 0) return null;
  const data = Array.from({ length: days }, (_, index) => {
    const day = new Date(Date.parse(from) + index * dayMs).toISOString().slice(0, 10);
    const found = usage.find(each => each.day === day);
    return {
      day: day.slice(5),
      inbound: found?.messagesInbound ?? 0,
      outbound: found?.messagesOutbound ?? 0,
      deliveries: found?.deliveries ?? 0,
      attempts: found?.deliveryAttempts ?? 0,
      tokens: found?.totalTokens ?? 0,
      cost: found?.estimatedCostMicros ?? 0,
    };
  });
  const { ticks, digits } = createCostAxis(Math.max(...data.map(({ cost }) => cost)));
  const shared = { h: 160, data, dataKey: 'day', tickLine: 'none', gridAxis: 'x' } as const;
  return (
    <div className={classes['charts']}>
      <figure>
        <figcaption>{texts.messages}</figcaption>
        <BarChart
          {...shared}
          yAxisProps={counts}
          valueFormatter={formats.number}
          type="stacked"
          series={[
            { name: 'inbound', label: texts.inbound, color: 'brand.6' },
            { name: 'outbound', label: texts.outbound, color: 'teal.6' },
          ]}
        />
      </figure>
      <figure>
        <figcaption>{texts.webhooks}</figcaption>
        <BarChart
          {...shared}
          yAxisProps={counts}
          valueFormatter={formats.number}
          series={[
            { name: 'deliveries', label: texts.deliveries, color: 'teal.6' },
            { name: 'attempts', label: texts.attempts, color: 'yellow.6' },
          ]}
        />
      </figure>
      <figure>
        <figcaption>{texts.tokens}</figcaption>
        <BarChart
          {...shared}
          yAxisProps={counts}
          valueFormatter={formats.number}
          series={[{ name: 'tokens', label: texts.tokens, color: 'grape.6' }]}
        />
      </figure>
      <figure>
        <figcaption>{texts.cost}</figcaption>
        <BarChart
          {...shared}
          yAxisProps={{
            ...axis,
            ticks: [...ticks],
            domain: [0, ticks.at(-1) ?? 'auto'],
            tickFormatter: (micros: number) => formats.cost(micros, digits),
          }}
          series={[{ name: 'cost', label: texts.cost, color: 'orange.6' }]}
          valueFormatter={value => formats.cost(value)}
        />
      </figure>
    </div>
  );
}
