export default function ScriptsPanel() {
  return <p>ScriptsPanel</p>;
}
