import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { ScreenTimeView } from '../reading/web/ScreenTimeView.tsx';

const GoalsPanel = lazyPart(async () => (await import('../goals/web/GoalsPanel.tsx')).GoalsPanel);

/** Joins the timeline and the goals: neither subject imports the page of the other. */
export default function ScreenTimePage() {
  return <ScreenTimeView goalsPanel={GoalsPanel} />;
}
