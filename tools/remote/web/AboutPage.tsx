export default function AboutPage() {
  return <p>about</p>;
}
