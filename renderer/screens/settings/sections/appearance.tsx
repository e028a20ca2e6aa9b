import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { ON_DESKTOP } from '../../../api/desktop.ts';
import { Panel } from '../../../components/panel.tsx';
import { Row, Rows } from '../setting-row.tsx';

const SCHEMES = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

/** Selects light or dark; stored by this browser, or by the desktop app. */
export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Panel title="Appearance">
      <Rows>
        <Row label="Theme" about={`Applies to this ${ON_DESKTOP ? 'app' : 'browser'} only.`}>
          <SegmentedControl
            fullWidth
            size="sm"
            withItemsBorders={false}
            bg="var(--gate-surface)"
            bd="1px solid var(--gate-line)"
            aria-label="Theme"
            data={[...SCHEMES]}
            value={colorScheme}
            onChange={setColorScheme}
          />
        </Row>
      </Rows>
    </Panel>
  );
}
