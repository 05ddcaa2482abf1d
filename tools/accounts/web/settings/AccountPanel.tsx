export default function AccountPanel() {
  return <p>AccountPanel</p>;
}
