/** Which webhook gets what is delivered again. */
import { Select, type SelectProps } from '@mantine/core';
import type { Stitch } from '../../sdk/index.ts';

interface WebhookSelectProps extends Pick<SelectProps, 'label' | 'aria-label' | 'size' | 'w'> {
  readonly webhooks: readonly Stitch[];
  readonly value: string;
  readonly onChange: (stitchId: string) => void;
}

export function WebhookSelect({ webhooks, onChange, ...props }: WebhookSelectProps) {
  return (
    <Select
      {...props}
      allowDeselect={false}
      searchable
      onChange={chosen => chosen !== null && onChange(chosen)}
      data={webhooks.map(({ stitchId, name }) => ({ value: stitchId, label: name }))}
    />
  );
}
