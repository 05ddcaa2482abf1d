/** A bar of one application: percents of the day, and whether it was focused. */
export interface BareBar {
  readonly from: number;
  readonly until: number;
  readonly isFocused: boolean;
}
export interface BareLane {
  readonly name: string;
  readonly bars: readonly BareBar[];
}

const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * Creates the simplest page with the same timeline:
 * an element per bar, and a checkbox that hides an application on all days.
 */
export function createBareTimeline(days: readonly (readonly BareLane[])[]): string {
  const getLane = ({ name, bars }: BareLane): string =>
    `<div class="lane" data-app="${escapeHtml(name)}"><b>${escapeHtml(name)}</b><p>${bars
      .map(
        ({ from, until, isFocused }) =>
          `<i style="left:${from}%;width:${until - from}%${isFocused ? '' : ';opacity:.3'}"></i>`,
      )
      .join('')}</p></div>`;
  const boxes = (days[0] ?? []).map(
    ({ name }) => `<label><input type="checkbox" checked value="${escapeHtml(name)}">${escapeHtml(name)}</label>`,
  );
  return `<!doctype html><title>days</title>
<style>.lane{display:flex;height:22px}b{width:158px}p{position:relative;flex:1;margin:4px;background:#eee}i{position:absolute;top:0;bottom:0;background:#46c}</style>
${boxes.join('')}${days.map((lanes) => `<section><h3>a day</h3>${lanes.map(getLane).join('')}</section>`).join('')}
<script>
onchange = ({ target }) => {
  for (const lane of document.querySelectorAll('.lane')) if (lane.dataset.app === target.value) lane.hidden = !target.checked, lane.style.display = target.checked ? '' : 'none';
};
</script>`;
}
