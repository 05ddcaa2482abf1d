export default function DevicesPanel() {
  return <p>DevicesPanel</p>;
}
